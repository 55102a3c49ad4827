#include "frameworks/core/observed/failures.hpp"

#include "frameworks/core/model/retry.hpp"

namespace troupe::core {

failure_action action_on_failure(const framework& f, restart_policy policy,
                                 const child_view& failed) {
  if (failed.terminating)
    return failure_action::already_terminating;
  if (failed.gave_up_waiting
      || (failed.disrupted && f.ending.replaces_disrupted_pods))
    return failure_action::replace_uncounted;
  switch (policy) {
  case restart_policy::on_failure:
  case restart_policy::always:
    return f.ending.replaces_pods_on_failure || failed.refused
               ? failure_action::replace
               : failure_action::keep;
  case restart_policy::exit_code:
    // An evicted pod has no exit code, and is retried.
    return failed.exit_code.value_or(first_retryable_exit_code)
                   >= first_retryable_exit_code
               ? failure_action::replace
               : failure_action::fail_job;
  case restart_policy::never:
  case restart_policy::other:
    return failure_action::keep;
  }
  return failure_action::keep;
}

bool must_replace_failed_pod(const framework& f, restart_policy policy,
                             const child_view& pod) {
  if (pod.phase != k8s::pod_phase::failed)
    return false;
  auto v = action_on_failure(f, policy, pod);
  return v == failure_action::replace || v == failure_action::replace_uncounted;
}

bool deletion_restarts_replica(const job& j, const child_view& deleted) {
  const auto* spec = j.find_replica_spec(deleted.at.type);
  return spec && deleted.at.index < spec->replicas && !j.policy.suspend
         && must_replace_failed_pod(*j.kind, spec->restart, deleted);
}

std::optional<time_point>
delayed_replacement_time_if_any(const child_view& failed) {
  if (!failed.failed_early || failed.early_failures == 0)
    return std::nullopt;
  return failed.ended
         + replacement_delay_after_early_failures(failed.early_failures + 1);
}

std::string describe_replacement_wait(const child_view& failed) {
  return failed.name + " failed within "
         + std::to_string(early_failure_limit.count()) + " s of its start, "
         + std::to_string(failed.early_failures + 1)
         + " times in a row; it is replaced at "
         + k8s::to_rfc3339(
             delayed_replacement_time_if_any(failed).value_or(failed.ended));
}

} // namespace troupe::core
