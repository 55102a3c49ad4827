#include "frameworks/core/pass/restarts.hpp"

#include "frameworks/core/base/numbers.hpp"
#include "frameworks/core/observed/observed.hpp"
#include "frameworks/core/recovery/losses.hpp"

#include <algorithm>

namespace troupe::core {

namespace {

bool has_restart_record(const std::vector<restart_record>& records,
                        const uid_key& uid) {
  return std::any_of(records.begin(), records.end(),
                     [&](const auto& r) { return uid == r.uid; });
}

/// Container restarts of pods that still run.
std::int64_t unrecorded_restarts_of_running_pods(const reconcile_context& ctx) {
  std::int64_t result = 0;
  const auto recorded = recorded_uids(ctx.status().restarts);
  for (const auto& type : ctx.children.types) {
    if (type.spec->restart == restart_policy::never)
      continue;
    for (const auto& state : type.slots)
      if (state.pod && state.pod->phase == k8s::pod_phase::running
          && recorded.count(state.pod->uid) == 0)
        result += state.pod->restarts;
  }
  return result;
}

/// How much its replacement adds to the restart count: its container restarts,
/// plus 1 unless it is excused.
std::int32_t restarts_if_replaced(const child_view& pod) {
  auto result = pod.restarts;
  add_saturated(result, pod.is_excused() ? 0 : 1);
  return result;
}

/// Whether the job's failure policy decides what follows, and not its limit on
/// restarts: the pod is not counted, or counts against maxRestarts.
bool is_outside_of_backoff_limit(const job& j, const replica_spec& type,
                                 const child_view& failed) {
  if (!j.policy.failure)
    return false;
  auto action = decide_on_failure(j, type, failed).action;
  bool scope = action == failure_action::restart_job
               || action == failure_action::restart_replica_type;
  return action == failure_action::replace_uncounted
         || (scope && j.policy.failure->max_restarts);
}

/// Whether any pod has failed by itself, under any restart policy.
bool any_pod_failed_by_itself(const reconcile_context& ctx) {
  for (const auto& type : ctx.children.types)
    for (const auto& state : type.slots)
      if (state.pod && state.pod->failed_by_itself()
          && !is_outside_of_backoff_limit(ctx.job, *type.spec, *state.pod))
        return true;
  return false;
}

/// Whether the pod may still be observed; its record must then remain separate,
/// to be found by UID.
bool must_keep_own_record(const observed_children& seen, const uid_key& uid) {
  if (seen.pods().count(uid) > 0)
    return true;
  const auto& gone = seen.gone().with_unsaved_restarts();
  return std::any_of(gone.begin(), gone.end(),
                     [&](const auto& v) { return v.uid == uid; });
}

/// The records of pods that are gone become one.
void sum_up_records_of_gone_pods(std::vector<restart_record>& records,
                                 const observed_children& seen) {
  restart_record sum{earlier_pods, "", 0};
  std::vector<restart_record> kept;
  for (auto& r : records)
    if (!r.uid.empty() && must_keep_own_record(seen, r.uid))
      kept.push_back(std::move(r));
    else
      add_saturated(sum.count, r.count);
  if (sum.count != 0)
    kept.insert(kept.begin(), std::move(sum));
  records = std::move(kept);
}

/// Unless there is no room for it.
void add_restart_record_if_room(std::vector<restart_record>& records,
                                const observed_children& seen,
                                const child_view& pod, std::int32_t times) {
  if (records.size() >= most_restart_records)
    sum_up_records_of_gone_pods(records, seen);
  if (records.size() < most_restart_records)
    records.push_back({pod.name, pod.uid.text(), times});
}

void record_restarts_of_pod_once(std::vector<restart_record>& records,
                                 const observed_children& seen,
                                 const child_view& pod, std::int32_t times) {
  if (has_restart_record(records, pod.uid))
    return;
  auto older = std::find_if(records.begin(), records.end(), [&](auto& r) {
    return r.pod == pod.name && !must_keep_own_record(seen, r.uid);
  });
  if (older == records.end()) {
    add_restart_record_if_room(records, seen, pod, times);
    return;
  }
  add_saturated(times, older->count);
  *older = {pod.name, pod.uid.text(), times};
}

} // namespace

std::int64_t total_restarts(const std::vector<restart_record>& records) {
  std::int64_t result = 0;
  for (const auto& r : records)
    result += r.count;
  return result;
}

std::set<uid_key> recorded_uids(const std::vector<restart_record>& records) {
  std::set<uid_key> result;
  for (const auto& r : records)
    result.insert(uid_key{r.uid});
  return result;
}

std::vector<const child_view*> pods_to_replace(const reconcile_context& ctx) {
  std::vector<const child_view*> result;
  for (const auto& type : ctx.children.types)
    for (const auto& state : type.slots)
      if (state.pod && must_replace_failed_pod(ctx.job, *type.spec, *state.pod))
        result.push_back(state.pod);
  return result;
}

bool is_restart_recorded_if_needed(const job& j, const job_status& s,
                                   const child_view& pod) {
  return !j.policy.backoff_limit || restarts_if_replaced(pod) == 0
         || has_restart_record(s.restarts, pod.uid);
}

void record_restarts(reconcile_context& ctx, const observed_children& seen) {
  if (!ctx.job.policy.backoff_limit)
    return;
  for (const auto& gone : seen.gone().with_unsaved_restarts())
    record_restarts_of_pod_once(ctx.status().restarts, seen, gone,
                                gone.restarts);
  for (const auto* pod : pods_to_replace(ctx))
    if (restarts_if_replaced(*pod) > 0)
      record_restarts_of_pod_once(ctx.status().restarts, seen, *pod,
                                  restarts_if_replaced(*pod));
}

bool record_restarts_of_lost_pod(reconcile_context& ctx,
                                 const observed_children& seen,
                                 const child_view& pod) {
  if (!ctx.job.policy.backoff_limit || pod.restarts == 0)
    return true;
  record_restarts_of_pod_once(ctx.status().restarts, seen, pod, pod.restarts);
  return has_restart_record(ctx.saved.restarts, pod.uid);
}

void delete_failed_pod_or_annotate_wait(reconcile_context& ctx,
                                        const child_view& pod,
                                        const char* why) {
  auto then = delayed_replacement_time_if_any(pod);
  if (!then || *then <= ctx.now)
    return ctx.plan_deletion_unless_blocked(child_kind::pod, pod, why);
  ctx.requeue_no_later_than(*then);
  if (pod.early_failures > pod.early_failures_saved)
    ctx.plan_failure_annotation_unless_blocked(pod,
                                               "its replacement has to wait");
}

namespace {

bool is_absence_recorded_of(const reconcile_context& ctx,
                            const child_view& pod) {
  const auto* type = ctx.job.find_replica_spec(pod.at.type);
  return !type || is_absence_recorded(ctx.job, ctx.saved, *type);
}

} // namespace

void delete_failed_pods_for_replacement(reconcile_context& ctx) {
  for (const auto* pod : pods_to_replace(ctx)) {
    auto then = delayed_replacement_time_if_any(*pod);
    bool waits = then && ctx.now < *then;
    if (waits
        || (is_restart_recorded_if_needed(ctx.job, ctx.saved, *pod)
            && is_absence_recorded_of(ctx, *pod)))
      delete_failed_pod_or_annotate_wait(
          ctx, *pod,
          pod->disrupted         ? "it was disrupted and is to be replaced"
          : pod->gave_up_waiting ? "it gave up waiting and is to be replaced"
                                 : "it failed and is to be replaced");
  }
}

bool exceeds_backoff_limit(const reconcile_context& ctx,
                           const observed_children& seen) {
  if (!ctx.job.policy.backoff_limit)
    return false;
  const std::int64_t limit = *ctx.job.policy.backoff_limit;
  if (limit < 0) // As training-operator v1: exceeded before any restart.
    return true;
  const auto& records = ctx.status().restarts;
  auto live = unrecorded_restarts_of_running_pods(ctx);
  auto made = live + total_restarts(records);
  const auto recorded = recorded_uids(records);
  for (const auto& gone : seen.gone().with_unsaved_restarts())
    if (recorded.count(gone.uid) == 0)
      made += gone.restarts;
  if (limit == 0 && (made > 0 || any_pod_failed_by_itself(ctx)))
    return true;
  if (limit > 0 && live > 0 && made >= limit)
    return true;
  for (const auto* pod : pods_to_replace(ctx)) {
    if (recorded.count(pod->uid) > 0)
      continue; // Already recorded, so an earlier reconcile allowed it.
    if (made >= limit && !pod->is_excused())
      return true;
    made += restarts_if_replaced(*pod);
  }
  return false;
}

} // namespace troupe::core
