// What users do to jobs of all kinds, and how watches break.
#include "tests/simulation/simulated_cluster.hpp"

namespace troupe::simulation {

void simulated_cluster::edit_job(const std::function<void(json&)>& how) {
  api_->change(plural(), job_key(), [&](json& j) { how(j["spec"]); });
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
    api_->remove(kind, key);
}

void simulated_cluster::delete_job() {
  api_->erase(plural(), job_key());
  if (chance(70))
    make_job();
}

/// Removes a child's owner, as a restored backup does; the labels stay.
void simulated_cluster::orphan_child() {
  const char* kind = chance(70) ? "pods" : "services";
  auto key = random_child(kind);
  if (key.empty())
    return;
  invariants().child_orphaned(*api_->find(kind, key));
  api_->change(kind, key,
               [](json& o) { o["metadata"].erase("ownerReferences"); });
}

/// Gives a child the labels of another job, so that its job releases it.
void simulated_cluster::relabel_child() {
  const char* kind = chance(70) ? "pods" : "services";
  auto key = random_child(kind);
  if (key.empty())
    return;
  invariants().child_orphaned(*api_->find(kind, key));
  api_->change(kind, key, [this](json& o) {
    o["metadata"]["labels"][row_.names.labels.job_name] = "other";
  });
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
