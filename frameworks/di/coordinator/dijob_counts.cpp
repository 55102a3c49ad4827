#include "frameworks/di/coordinator/dijob_counts.hpp"

#include "frameworks/core/model/framework.hpp"
#include "frameworks/core/observed/observed.hpp"

namespace troupe::frameworks::di {

using namespace core;

namespace {

/// What the template says; a pod of no template of the job restarts always, as
/// pods do by default.
restart_policy restart_policy_of_pod_or_always(const job& j,
                                               const child_view& pod) {
  const auto* spec = j.find_replica_spec(pod.at.type);
  return spec ? spec->restart : restart_policy::always;
}

/// The kubelet does not start the main container again.
bool has_ended_without_restart(const job& j, const child_view& pod) {
  if (!pod.exit_code)
    return false;
  auto policy = restart_policy_of_pod_or_always(j, pod);
  return policy == restart_policy::never
         || (policy == restart_policy::on_failure && *pod.exit_code == 0);
}

void add_pod_to_counts(replica_status& counts, const job& j,
                       const child_view& pod) {
  switch (pod.phase) {
  case k8s::pod_phase::running:
    if (!has_ended_without_restart(j, pod))
      ++counts.active;
    else if (*pod.exit_code == 0)
      ++counts.succeeded;
    else
      ++counts.failed;
    break;
  case k8s::pod_phase::succeeded:
    ++counts.succeeded;
    break;
  case k8s::pod_phase::failed:
    ++counts.failed;
    break;
  case k8s::pod_phase::pending:
  case k8s::pod_phase::unknown:
    break;
  }
}

} // namespace

std::map<std::string, replica_status>
count_pods_by_type(const job& j, const observed_children& seen) {
  std::map<std::string, replica_status> result;
  for (const auto& rule : j.kind->replicas)
    result[rule.type];
  for (const auto& pod : seen.pods())
    if (const auto* rule = j.kind->find_rule_by_label(pod.at.type);
        rule && pod.owned && pod.labels_match_job && !pod.terminating)
      add_pod_to_counts(result[rule->type], j, pod);
  return result;
}

void count_running_as_succeeded(job_status& s) {
  for (auto& [type, counts] : s.replicas) {
    counts.succeeded += counts.active;
    counts.active = 0;
  }
}

} // namespace troupe::frameworks::di
