#include "frameworks/core/counting.hpp"

#include "frameworks/core/names.hpp"

namespace troupe::core {

namespace {

bool all_replicas_active(const reconcile_context& p) {
  std::int64_t active = 0;
  for (const auto& [type, counts] : p.status().replicas)
    active += counts.active;
  return active > 0 && active == p.j.total_replicas();
}

} // namespace

replica_status count_replicas(const replica_type_view& type) {
  replica_status result;
  for (const auto& state : type.slots) {
    if (!state.pod)
      continue;
    switch (state.pod->phase) {
    case k8s::pod_phase::running:
      result.active += state.pod->terminating ? 0 : 1;
      break;
    case k8s::pod_phase::succeeded:
      ++result.succeeded;
      break;
    case k8s::pod_phase::failed:
      result.failed += state.pod->disrupted ? 0 : 1;
      break;
    case k8s::pod_phase::pending:
    case k8s::pod_phase::unknown:
      break;
    }
  }
  return result;
}

void count_replicas_and_add_event(reconcile_context& p) {
  bool ran_before = all_replicas_active(p);
  std::map<std::string, replica_status> fresh;
  for (const auto& type : p.children.types) {
    auto counts = count_replicas(type);
    if (p.j.kind->selector_in_status)
      counts.selector = replica_type_selector(p.j, type.spec->label);
    fresh.emplace(type.spec->type, std::move(counts));
  }
  p.status().replicas = std::move(fresh);
  const char* words = messages_for(p.j).all_running;
  if (*words != '\0' && !ran_before && all_replicas_active(p))
    p.add_event(false, "Running", fill_template(words, p.j));
}

void finalize_replica_counts(job_status& s, clean_pod_policy clean) {
  bool failed = s.is_true(condition_type::failed);
  if (failed && clean == clean_pod_policy::none)
    return;
  for (auto& [type, counts] : s.replicas) {
    counts.succeeded += failed ? 0 : counts.active;
    counts.active = 0;
  }
}

} // namespace troupe::core
