#include "frameworks/core/restarts.hpp"

#include "frameworks/core/retry.hpp"

#include <algorithm>

namespace troupe::core {

namespace {

bool has_entry(const std::vector<restart_record>& records,
               const std::string& uid) {
  return std::any_of(records.begin(), records.end(),
                     [&](const auto& r) { return r.uid == uid; });
}

std::int64_t sum(const std::vector<restart_record>& records) {
  std::int64_t result = 0;
  for (const auto& r : records)
    result += r.count;
  return result;
}

/// Container restarts of pods that still run.
std::int64_t unrecorded_running_restarts(const reconcile_context& p) {
  std::int64_t result = 0;
  for (const auto& type : p.children.types) {
    if (type.spec->restart == restart_policy::never)
      continue;
    for (const auto& state : type.slots)
      if (state.pod && state.pod->phase == k8s::pod_phase::running
          && !has_entry(p.status().restarts, state.pod->uid))
        result += state.pod->restarts;
  }
  return result;
}

/// How much its replacement adds to the restart count: its container restarts,
/// plus 1 unless it was disrupted.
std::int32_t restarts_if_replaced(const child_view& pod) {
  return pod.restarts + (pod.disrupted ? 0 : 1);
}

/// Whether any pod has failed by itself, under any restart policy.
bool any_pod_failed_by_itself(const reconcile_context& p) {
  for (const auto& type : p.children.types)
    for (const auto& state : type.slots)
      if (state.pod && state.pod->failed_by_itself())
        return true;
  return false;
}

/// Whether the pod may still be observed; its record must then remain separate,
/// to be found by UID.
bool may_still_be_reported(const observed_children& seen,
                           const std::string& uid) {
  if (seen.pods().count(uid) > 0)
    return true;
  const auto& gone = seen.vanished();
  return std::any_of(gone.begin(), gone.end(),
                     [&](const auto& v) { return v.uid == uid; });
}

/// Whether a pod, if it has failed, is replaced.
bool is_replaced(const framework& f, restart_policy policy,
                 const child_view& pod) {
  if (pod.phase != k8s::pod_phase::failed)
    return false;
  auto v = action_on_failure(f, policy, pod);
  return v == failure_action::replace || v == failure_action::replace_disrupted;
}

void add_or_update_record(std::vector<restart_record>& records,
                          const observed_children& seen, const child_view& pod,
                          std::int32_t times) {
  if (has_entry(records, pod.uid))
    return;
  auto older = std::find_if(records.begin(), records.end(), [&](auto& r) {
    return r.pod == pod.name && !may_still_be_reported(seen, r.uid);
  });
  if (older == records.end())
    records.push_back({pod.name, pod.uid, times});
  else
    *older = {pod.name, pod.uid, older->count + times};
}

} // namespace

failure_action action_on_failure(const framework& f, restart_policy policy,
                                 const child_view& failed) {
  if (failed.terminating)
    return failure_action::already_terminating;
  if (failed.disrupted && f.replaces_disrupted_pods)
    return failure_action::replace_disrupted;
  switch (policy) {
  case restart_policy::on_failure:
  case restart_policy::always:
    return f.replaces_pods_on_failure ? failure_action::replace
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

bool is_restart(const job& j, const child_view& removed) {
  const auto* spec = j.find(removed.at.type);
  return spec && removed.at.index < spec->replicas && !j.policy.suspend
         && is_replaced(*j.kind, spec->restart, removed);
}

std::vector<const child_view*> pods_to_replace(const reconcile_context& p) {
  std::vector<const child_view*> result;
  for (const auto& type : p.children.types)
    for (const auto& state : type.slots)
      if (state.pod && is_replaced(*p.j.kind, type.spec->restart, *state.pod))
        result.push_back(state.pod);
  return result;
}

bool restart_is_recorded(const job& j, const job_status& s,
                         const child_view& pod) {
  return !j.policy.backoff_limit || restarts_if_replaced(pod) == 0
         || has_entry(s.restarts, pod.uid);
}

std::optional<time_point> earliest_replacement(const child_view& failed) {
  if (!failed.failed_early || failed.early_failures == 0)
    return std::nullopt;
  return failed.ended + replacement_delay(failed.early_failures + 1);
}

std::string describe_replacement_wait(const child_view& failed) {
  return failed.name + " failed within " + std::to_string(early_failure.count())
         + " s of its start, " + std::to_string(failed.early_failures + 1)
         + " times in a row; it is replaced at "
         + k8s::to_rfc3339(earliest_replacement(failed).value_or(failed.ended));
}

void record_restarts(reconcile_context& p, const observed_children& seen) {
  if (!p.j.policy.backoff_limit)
    return;
  for (const auto& gone : seen.vanished())
    add_or_update_record(p.status().restarts, seen, gone, gone.restarts);
  for (const auto* pod : pods_to_replace(p))
    if (restarts_if_replaced(*pod) > 0)
      add_or_update_record(p.status().restarts, seen, *pod,
                           restarts_if_replaced(*pod));
}

void replace_when_due(reconcile_context& p, const child_view& pod,
                      const char* why) {
  auto then = earliest_replacement(pod);
  if (!then || *then <= p.now)
    return p.plan_delete(child_kind::pod, pod, why);
  p.requeue_at(*then);
  if (pod.early_failures > pod.early_failures_saved)
    p.plan_annotate(pod, "its replacement has to wait");
}

void replace_failed_pods(reconcile_context& p) {
  for (const auto* pod : pods_to_replace(p)) {
    auto then = earliest_replacement(*pod);
    bool waits = then && p.now < *then;
    if (waits || restart_is_recorded(p.j, p.saved, *pod))
      replace_when_due(p, *pod,
                       pod->disrupted ? "it was disrupted and is to be replaced"
                                      : "it failed and is to be replaced");
  }
}

bool exceeds_backoff_limit(const reconcile_context& p,
                           const observed_children& seen) {
  if (!p.j.policy.backoff_limit)
    return false;
  const std::int64_t limit = std::max(*p.j.policy.backoff_limit, 0);
  const auto& records = p.status().restarts;
  auto live = unrecorded_running_restarts(p);
  auto made = live + sum(records);
  for (const auto& gone : seen.vanished())
    if (!has_entry(records, gone.uid))
      made += gone.restarts;
  if (limit == 0 && (made > 0 || any_pod_failed_by_itself(p)))
    return true;
  if (limit > 0 && live > 0 && made >= limit)
    return true;
  for (const auto* pod : pods_to_replace(p)) {
    if (has_entry(records, pod->uid))
      continue; // Already recorded, so an earlier reconcile allowed it.
    if (made >= limit && !pod->disrupted)
      return true;
    made += restarts_if_replaced(*pod);
  }
  return false;
}

} // namespace troupe::core
