#pragma once

#include "frameworks/core/observed/failures.hpp"
#include "frameworks/core/pass/reconcile_context.hpp"

#include <set>
#include <vector>

namespace troupe::core {

/// Pods that fill a slot and must be replaced (failed and disrupted ones), in
/// order.
std::vector<const child_view*> pods_to_replace(const reconcile_context& ctx);

/// Whether this pod may be replaced now: its restart is recorded in the status,
/// or need not be.
bool is_restart_recorded_if_needed(const job& j, const job_status& s,
                                   const child_view& pod);

/// A status keeps at most this many records. They take much less than etcd
/// stores, and fit in an annotation.
inline constexpr std::size_t most_restart_records = 500;

/// The name of the record that sums up those of pods that are gone.
inline constexpr const char* earlier_pods = "(earlier pods)";

std::int64_t total_restarts(const std::vector<restart_record>& records);

/// The UIDs of the pods that have a record.
std::set<uid_key> recorded_uids(const std::vector<restart_record>& records);

/// Adds to the status what counts against the backoff limit: pods that will be
/// replaced, and deleted pods with container restarts. Only for jobs with a
/// limit. Deleted pods are kept as one entry per name. When there are
/// most_restart_records, those of pods that are gone become one; if that makes
/// no room, more pods are recorded, and so replaced, when some of these are.
void record_restarts(reconcile_context& ctx, const observed_children& seen);

/// Adds the container restarts of a pod that is deleted because its node is
/// lost; the loss itself does not count. Returns whether the saved status has
/// them, or needs none.
bool record_restarts_of_lost_pod(reconcile_context& ctx,
                                 const observed_children& seen,
                                 const child_view& pod);

/// Deletes a failed pod if its delay has ended. Otherwise annotates it with the
/// number of early failures, and requeues the job for the end of the delay.
void delete_failed_pod_or_annotate_wait(reconcile_context& ctx,
                                        const child_view& pod, const char* why);

/// Deletes the pods that must be replaced, when their delay has ended; with a
/// backoff limit only those whose record has been saved, so that a restart of
/// the operator loses no count; where more than a pod may be restarted only
/// when the saved counts lack it (see is_absence_recorded). A pod whose
/// replacement is delayed is annotated with the number of early failures, for
/// the same reason.
void delete_failed_pods_for_replacement(reconcile_context& ctx);

/// Whether the limit on restarts is exceeded, including the replacements that
/// are due now.
bool exceeds_backoff_limit(const reconcile_context& ctx,
                           const observed_children& seen);

} // namespace troupe::core
