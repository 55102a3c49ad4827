#pragma once

#include "frameworks/core/reconcile_context.hpp"

#include <set>
#include <vector>

namespace troupe::core {

/// What to do about a failed pod.
enum class failure_action {
  replace, ///< Replace it by a new one; the job continues.
  /// It is terminating; a new pod is created when it is deleted.
  already_terminating,
  /// The cluster ended it, or an init container of ours: replace it, but do not
  /// count a failure.
  replace_uncounted,
  fail_job, ///< Its exit code is permanent (< 128): the job fails.
  keep,     ///< Keep it; the framework decides what that means.
};

/// Exit codes from here on are retryable; so is a failure without an exit code
/// (eviction).
constexpr std::int32_t first_retryable_exit_code = 128;

failure_action action_on_failure(const framework& f, restart_policy policy,
                                 const child_view& failed);

/// Whether the deletion of this pod of an unfinished job restarts a replica.
bool deletion_restarts_replica(const job& j, const child_view& deleted);

/// Pods that fill a slot and must be replaced (failed and disrupted ones), in
/// order.
std::vector<const child_view*> pods_to_replace(const reconcile_context& ctx);

/// Whether this pod may be replaced now: its restart is recorded in the status,
/// or need not be.
bool is_restart_recorded_if_needed(const job& j, const job_status& s,
                                   const child_view& pod);

/// The earliest time to replace a failed pod, so that pods that fail
/// immediately are not recreated in a tight loop (CrashLoopBackOff); nullopt:
/// now.
std::optional<time_point> earliest_replacement_time(const child_view& failed);

/// "job-worker-1 failed within 10 s of its start, 3 times in a row; it is
/// replaced at 2026-01-31T12:00:00Z", for a pod whose replacement is delayed.
std::string describe_replacement_wait(const child_view& failed);

/// So many records are kept in a status; what that takes is far from what etcd
/// stores, and fits in an annotation.
inline constexpr std::size_t most_restart_records = 500;

/// The name of the record that sums up those of pods that are gone.
inline constexpr const char* earlier_pods = "(earlier pods)";

/// The UIDs of the pods that have a record.
std::set<uid_key> recorded_uids(const std::vector<restart_record>& records);

/// Adds to the status what counts against the backoff limit: pods that will be
/// replaced, and deleted pods with container restarts. Only for jobs with a
/// limit. Deleted pods are kept as one entry per name. When there are
/// most_restart_records, those of pods that are gone become one; if that makes
/// no room, more pods are recorded, and so replaced, when some of these are.
void record_restarts(reconcile_context& ctx, const observed_children& seen);

/// Deletes a failed pod when its delay has ended; until then it is annotated
/// with the number of early failures.
void delete_for_replacement_when_due(reconcile_context& ctx,
                                     const child_view& pod, const char* why);

/// Deletes the pods that must be replaced, when their delay has ended; with a
/// backoff limit only those whose record has been saved, so that a restart of
/// the operator loses no count. A pod whose replacement is delayed is annotated
/// with the number of early failures, for the same reason.
void delete_failed_pods_for_replacement(reconcile_context& ctx);

/// Whether the limit on restarts is exceeded, including the replacements that
/// are due now.
bool exceeds_backoff_limit(const reconcile_context& ctx,
                           const observed_children& seen);

} // namespace troupe::core
