// What users do to the job and its children, and how watches break.
#include "tests/simulation/kind_rows.hpp"
#include "tests/simulation/random.hpp"
#include "tests/simulation/simulated_cluster.hpp"

#include <algorithm>

namespace troupe::simulation {

void simulated_cluster::user_step() {
  auto dice = random_() % 100;
  if (dice < 21)
    scale_job();
  else if (dice < 24)
    edit_elastic_policy();
  else if (dice < 38)
    edit_job([](json& spec) {
      auto& suspend = spec["runPolicy"]["suspend"];
      suspend = suspend != true;
    });
  else if (dice < 43)
    edit_run_policy();
  else if (dice < 66)
    delete_child();
  else if (dice < 69)
    orphan_child();
  else if (dice < 70)
    relabel_child();
  else if (dice < 72)
    occupy_name();
  else if (dice < 75)
    edit_auxiliary_object();
  else if (dice < 76)
    move_pod_group_to_queue();
  else if (dice < 80)
    delete_job();
  else if (dice < 86)
    install_or_uninstall_webhook();
  else
    disturb_watches();
}

void simulated_cluster::edit_job(const std::function<void(json&)>& how) {
  api_->change(plural(), job_key(), [&](json& j) { how(j["spec"]); });
  invariants_.job_changed();
}

void simulated_cluster::scale_job() {
  edit_job([this](json& spec) {
    auto& types = spec[rules_.row().spec_field];
    auto i = types.begin();
    std::advance(i, static_cast<std::ptrdiff_t>(random_() % types.size()));
    int n = rules_.random_replica_count(i.key(), random_);
    i.value()["replicas"] =
        n > 0 && n == number(at(*i, "replicas")) && n > 1 ? n + 1 : n;
  });
}

/// Changes one of the limits that may change at any time.
void simulated_cluster::edit_run_policy() {
  edit_job([this](json& spec) {
    auto& policy = spec["runPolicy"];
    switch (random_() % (gang() == core::gang::none ? 4 : 6)) {
    case 0:
      policy["backoffLimit"] = static_cast<int>(random_() % 4);
      break;
    case 1:
      policy["activeDeadlineSeconds"] = 1 + static_cast<int>(random_() % 300);
      break;
    case 2:
      policy["ttlSecondsAfterFinished"] = static_cast<int>(random_() % 60);
      break;
    case 3:
      policy["cleanPodPolicy"] = chance(50) ? "All" : "Running";
      break;
    case 4:
      policy["schedulingPolicy"]["minAvailable"] = 1 + up_to(random_, 2);
      break;
    case 5:
      if (policy.contains("schedulingPolicy"))
        policy["schedulingPolicy"].erase("minAvailable");
      break;
    }
  });
}

/// Changes what the autoscaler of a PyTorchJob is made from.
void simulated_cluster::edit_elastic_policy() {
  edit_job([this](json& spec) {
    if (rules_.row().type.kind != "PyTorchJob"
        || !spec.contains("elasticPolicy"))
      return;
    auto& policy = spec["elasticPolicy"];
    policy["maxReplicas"] = 1 + up_to(random_, 3);
    if (chance(30))
      policy.erase("metrics");
    else if (!policy.contains("metrics"))
      policy["metrics"] = cpu_metrics();
  });
}

std::string simulated_cluster::random_child(const std::string& kind) {
  const auto& all = api_->all(kind);
  if (all.empty())
    return {};
  auto i = all.begin();
  std::advance(i, static_cast<std::ptrdiff_t>(random_() % all.size()));
  return i->first;
}

void simulated_cluster::delete_child() {
  auto kinds = child_kinds();
  if (kinds.empty())
    return;
  auto kind =
      chance(50) ? std::string{"pods"} : kinds[random_() % kinds.size()];
  auto key = random_child(kind);
  if (key.empty())
    return;
  bool graceful =
      kind == "pods" && phase_of(*api_->find(kind, key)) == "Running";
  if (graceful && chance(70))
    api_->change(kind, key, [this](json& o) {
      o["metadata"]["deletionTimestamp"] = api_->now();
    });
  else
    api_->erase(kind, key);
}

void simulated_cluster::delete_job() {
  api_->erase(plural(), job_key());
  invariants_.job_changed();
  if (chance(70))
    make_job();
}

/// Removes a child's owner, as a restored backup does; the labels stay.
void simulated_cluster::orphan_child() {
  const char* kind = chance(70) ? "pods" : "services";
  auto key = random_child(kind);
  if (key.empty())
    return;
  invariants_.child_orphaned(*api_->find(kind, key));
  api_->change(kind, key,
               [](json& o) { o["metadata"].erase("ownerReferences"); });
  invariants_.pod_changed(key);
}

/// Gives a child the labels of another job, so that its job releases it.
void simulated_cluster::relabel_child() {
  const char* kind = chance(70) ? "pods" : "services";
  auto key = random_child(kind);
  if (key.empty())
    return;
  invariants_.child_orphaned(*api_->find(kind, key));
  api_->change(kind, key, [](json& o) {
    o["metadata"]["labels"]["training.kubeflow.org/job-name"] = "other";
  });
}

/// Changes a config map, role or the like of the job.
void simulated_cluster::edit_auxiliary_object() {
  auto kinds = child_kinds();
  kinds.erase(std::remove_if(kinds.begin(), kinds.end(),
                             [](const std::string& kind) {
                               return kind == "pods" || kind == "services";
                             }),
              kinds.end());
  if (kinds.empty())
    return;
  const auto& kind = kinds[random_() % kinds.size()];
  auto key = random_child(kind);
  if (key.empty())
    return;
  api_->change(kind, key, [](json& o) {
    for (const char* part : {"data", "spec", "rules", "subjects"})
      if (o.contains(part) && !o[part].empty())
        o[part].erase(o[part].begin());
  });
}

/// As an administrator moves a pod group; the operator has to keep that.
void simulated_cluster::move_pod_group_to_queue() {
  if (gang() == core::gang::volcano)
    api_->change("podgroups", job_key(),
                 [](json& g) { g["spec"]["queue"] = "other"; });
}

/// Deletes pods and services of others whose names a replica needs.
void simulated_cluster::delete_foreign_objects() {
  for (const char* kind : {"pods", "services"}) {
    key_list foreign;
    for (const auto& [key, o] : api_->all(kind))
      if (owner_of(o).is_null() && label(o, "job-name") != "job")
        foreign.push_back(key);
    for (const auto& key : foreign)
      api_->erase(kind, key);
  }
}

/// Makes an object of its own with a name that a replica needs.
void simulated_cluster::occupy_name() {
  const auto* j = api_->find(plural(), job_key());
  if (!j)
    return;
  auto m = rules_.read((*j)["spec"]);
  if (m.replica_specs.empty())
    return;
  auto i = m.replica_specs.begin();
  std::advance(i,
               static_cast<std::ptrdiff_t>(random_() % m.replica_specs.size()));
  const char* kind = chance(70) ? "pods" : "services";
  auto name = "job-" + i->first + "-0";
  if (!api_->find(kind, "ns/" + name))
    api_->create(kind, {{"metadata", {{"name", name}, {"namespace", "ns"}}},
                        {"spec", json::object()}});
}

void simulated_cluster::install_or_uninstall_webhook() {
  if (webhook_.installed())
    webhook_.uninstall();
  else
    webhook_.install(random_);
}

void simulated_cluster::disturb_watches() {
  auto dice = random_() % 100;
  if (dice < 30) {
    api_->compact();
    return;
  }
  if (api_->streams() == 0)
    return;
  auto which = random_() % api_->streams();
  if (dice < 70)
    api_->break_stream(which);
  else if (dice < 90)
    api_->repeat_last_event(which);
  else
    api_->send_malformed_event(which);
}

} // namespace troupe::simulation
