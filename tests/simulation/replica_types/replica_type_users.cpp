// What users do to jobs that are maps of replica types.
#include "tests/simulation/random.hpp"
#include "tests/simulation/replica_types/kind_rows.hpp"
#include "tests/simulation/replica_types/random_policies.hpp"
#include "tests/simulation/replica_types/replica_type_cluster.hpp"

#include <algorithm>

namespace troupe::simulation {

void replica_type_cluster::user_step() {
  auto dice = random()() % 100;
  if (dice < 21)
    scale_job();
  else if (dice < 24)
    edit_elastic_policy();
  else if (dice < 38)
    edit_job([](json& spec) {
      auto& suspend = spec["runPolicy"]["suspend"];
      suspend = suspend != true;
    });
  else if (dice < 41)
    edit_run_policy();
  else if (dice < 43)
    edit_policies();
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

void replica_type_cluster::scale_job() {
  edit_job([this](json& spec) {
    auto& types = spec[rules_.row().names.spec_field];
    auto i = types.begin();
    std::advance(i, static_cast<std::ptrdiff_t>(random()() % types.size()));
    int n = rules_.random_replica_count(i.key(), random());
    i.value()["replicas"] =
        n > 0 && n == number(at(*i, "replicas")) && n > 1 ? n + 1 : n;
  });
}

/// Changes one of the limits that may change at any time.
void replica_type_cluster::edit_run_policy() {
  edit_job([this](json& spec) {
    auto& policy = spec["runPolicy"];
    switch (random()() % (gang() == core::gang::none ? 4 : 6)) {
    case 0:
      policy["backoffLimit"] = static_cast<int>(random()() % 4);
      break;
    case 1:
      policy["activeDeadlineSeconds"] = 1 + static_cast<int>(random()() % 300);
      break;
    case 2:
      policy["ttlSecondsAfterFinished"] = static_cast<int>(random()() % 60);
      break;
    case 3:
      policy["cleanPodPolicy"] = chance(50) ? "All" : "Running";
      break;
    case 4:
      policy["schedulingPolicy"]["minAvailable"] = 1 + up_to(random(), 2);
      break;
    case 5:
      if (policy.contains("schedulingPolicy"))
        policy["schedulingPolicy"].erase("minAvailable");
      break;
    }
  });
}

/// Changes or removes a policy, or gives the job another one.
void replica_type_cluster::edit_policies() {
  const auto* j = job();
  if (!j || !has_policies_)
    return;
  auto changed = *j;
  if (chance(80))
    put_policy(changed, "failurePolicy",
               chance(15) ? json{} : some_failure_policy(*j));
  else
    put_policy(changed, "successPolicy",
               chance(50) ? json{}
                          : random_success_policy(types_of(*j), random()));
  api().change(plural(), job_key(), [&](json& it) {
    it["spec"] = changed["spec"];
    it["metadata"] = changed["metadata"];
  });
}

const json& replica_type_cluster::types_of(const json& job) const {
  return at(job, "spec", rules_.types_field());
}

/// At the end all are silent: some day there is no restart left.
json replica_type_cluster::some_failure_policy(const json& job) {
  auto policy = random_failure_policy(types_of(job), random());
  if (takes_reports_) {
    policy.erase("restartWindow");
    if (!policy.contains("maxRestarts"))
      policy["maxRestarts"] = up_to(random(), 4);
  }
  return policy;
}

/// Null removes it.
void replica_type_cluster::put_policy(json& job, const char* field,
                                      const json& policy) {
  std::string annotation = field == std::string{"failurePolicy"}
                               ? "training.kubeflow.org/failure-policy"
                           : field == std::string{"progress"}
                               ? "training.kubeflow.org/progress"
                               : "training.kubeflow.org/success-policy";
  auto& in_spec = job["spec"]["runPolicy"];
  auto& in_annotations = job["metadata"]["annotations"];
  if (!chance(2)) {
    in_spec.erase(field);
    if (in_annotations.is_object())
      in_annotations.erase(annotation);
  }
  if (policy.is_null())
    return;
  if (by_annotation_)
    in_annotations[annotation] = policy.dump();
  else
    in_spec[field] = policy;
}

void replica_type_cluster::add_to_new_job(json& job) {
  if (takes_reports_)
    put_policy(job, "progress", random_progress_policy(random()));
  if (!has_policies_)
    return;
  if (chance(85))
    put_policy(job, "failurePolicy", some_failure_policy(job));
  if (chance(20))
    put_policy(job, "successPolicy",
               random_success_policy(types_of(job), random()));
}

/// Changes what the autoscaler of a PyTorchJob is made from.
void replica_type_cluster::edit_elastic_policy() {
  edit_job([this](json& spec) {
    if (rules_.row().names.type.kind != "PyTorchJob"
        || !spec.contains("elasticPolicy"))
      return;
    auto& policy = spec["elasticPolicy"];
    policy["maxReplicas"] = 1 + up_to(random(), 3);
    if (chance(30))
      policy.erase("metrics");
    else if (!policy.contains("metrics"))
      policy["metrics"] = cpu_metrics();
  });
}

/// Changes a config map, role or the like of the job.
void replica_type_cluster::edit_auxiliary_object() {
  auto kinds = child_kinds();
  kinds.erase(std::remove_if(kinds.begin(), kinds.end(),
                             [](const std::string& kind) {
                               return kind == "pods" || kind == "services";
                             }),
              kinds.end());
  if (kinds.empty())
    return;
  const auto& kind = kinds[random()() % kinds.size()];
  auto key = random_child(kind);
  if (key.empty())
    return;
  api().change(kind, key, [](json& o) {
    for (const char* part : {"data", "spec", "rules", "subjects"})
      if (o.contains(part) && !o[part].empty())
        o[part].erase(o[part].begin());
  });
}

/// As an administrator moves a pod group; the operator has to keep that.
void replica_type_cluster::move_pod_group_to_queue() {
  if (gang() == core::gang::volcano)
    api().change("podgroups", job_key(),
                 [](json& g) { g["spec"]["queue"] = "other"; });
}

/// Deletes pods and services of others whose names a replica needs.
void replica_type_cluster::delete_foreign_objects() {
  for (const char* kind : {"pods", "services"}) {
    key_list foreign;
    for (const auto& [key, o] : api().all(kind))
      if (owner_of(o).is_null() && label(o, "job-name") != "job")
        foreign.push_back(key);
    for (const auto& key : foreign)
      api().erase(kind, key);
  }
}

/// Makes an object of its own with a name that a replica needs.
void replica_type_cluster::occupy_name() {
  const auto* j = api().find(plural(), job_key());
  if (!j)
    return;
  auto m = rules_.read(*j);
  if (m.replica_specs.empty())
    return;
  auto i = m.replica_specs.begin();
  std::advance(
      i, static_cast<std::ptrdiff_t>(random()() % m.replica_specs.size()));
  const char* kind = chance(70) ? "pods" : "services";
  auto name = "job-" + i->first + "-0";
  if (!api().find(kind, "ns/" + name))
    api().create(kind, {{"metadata", {{"name", name}, {"namespace", "ns"}}},
                        {"spec", json::object()}});
}

} // namespace troupe::simulation
