#include "frameworks/core/observed/failures.hpp"

#include "frameworks/core/base/retry.hpp"
#include "frameworks/core/observed/failure_rules.hpp"

#include <algorithm>

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

namespace {

failure_action action_of_verdict(const job& j, failure_verdict v) {
  switch (v) {
  case failure_verdict::ignore:
    return failure_action::replace_uncounted;
  case failure_verdict::restart_pod:
    return failure_action::replace;
  case failure_verdict::restart_replica_type:
    return action_of_scope(j, restart_scope::replica_type);
  case failure_verdict::restart_job:
    return failure_action::restart_job;
  case failure_verdict::fail_job:
    return failure_action::fail_job;
  }
  return failure_action::keep;
}

bool is_permanent_exit_code(const replica_spec& type,
                            const child_view& failed) {
  return type.restart == restart_policy::exit_code && !failed.is_excused()
         && failed.exit_code.value_or(first_retryable_exit_code)
                < first_retryable_exit_code;
}

/// As without a policy if pods are replaced alone, and if an init container of
/// ours ended the pod, because its program has not run.
failure_action action_without_rule(const job& j, const replica_spec& type,
                                   const child_view& failed) {
  auto scope = j.failure_policy_or_default().scope;
  if (scope == restart_scope::pod || failed.gave_up_waiting)
    return action_on_failure(*j.kind, type.restart, failed);
  return is_permanent_exit_code(type, failed) ? failure_action::fail_job
                                              : action_of_scope(j, scope);
}

bool replaces_pod_alone(failure_action a) {
  return a == failure_action::replace || a == failure_action::replace_uncounted
         || a == failure_action::keep;
}

} // namespace

failure_action action_of_scope(const job& j, restart_scope scope) {
  const auto& rules = j.kind->replicas;
  bool whole = scope == restart_scope::job
               || std::any_of(rules.begin(), rules.end(),
                              [](const auto& r) { return r.created_last; });
  if (scope == restart_scope::pod)
    return failure_action::replace;
  return whole ? failure_action::restart_job
               : failure_action::restart_replica_type;
}

failure_decision decide_on_failure(const job& j, const replica_spec& type,
                                   const child_view& failed) {
  if (!j.policy.failure)
    return {action_on_failure(*j.kind, type.restart, failed), nullptr};
  if (failed.terminating
      && (failed.delete_requested || !failed.failed_before_deletion))
    return {failure_action::already_terminating, nullptr};
  const auto* rule = find_matching_rule(j, type, failed, pod_loss::failed);
  auto action = rule ? action_of_verdict(j, rule->action)
                     : action_without_rule(j, type, failed);
  if (failed.terminating && replaces_pod_alone(action))
    action = failure_action::already_terminating;
  return {action, rule};
}

bool must_replace_failed_pod(const job& j, const replica_spec& type,
                             const child_view& pod) {
  if (pod.phase != k8s::pod_phase::failed)
    return false;
  auto action = decide_on_failure(j, type, pod).action;
  return action == failure_action::replace
         || action == failure_action::replace_uncounted;
}

bool has_failed_for_good(const job& j, const replica_spec& type,
                         const child_view& pod) {
  const auto* rule = j.kind->find_rule_by_label(type.label);
  return rule && rule->may_fail_if_dynamic && j.dynamic_workers
         && pod.phase == k8s::pod_phase::failed && !pod.is_leaving()
         && !must_replace_failed_pod(j, type, pod);
}

bool deletion_restarts_replica(const job& j, const child_view& deleted) {
  const auto* spec = j.find_replica_spec(deleted.at.type);
  return spec && deleted.at.index < spec->replicas && !j.policy.suspend
         && must_replace_failed_pod(j, *spec, deleted);
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
