#pragma once

#include "frameworks/core/pass/reconcile_context.hpp"
#include "frameworks/core/queueing/queue_course.hpp"

#include <optional>

namespace troupe::core {

// Jobs that wait for a queue of Kueue's, as part of a pass.

/// The kind as queueing_options::left_to_kueue has it.
std::string name_in_queueing(const framework& kind);

/// Whether jobs of this kind could ever be in a queue.
bool is_queueable(const framework& kind);

/// Whether jobs of this kind may have Workloads of ours.
bool may_be_queued(const framework& kind, const cluster_options& cluster);

/// Whether it may have a Workload of which no watch tells: one that Kueue's own
/// integration made, before jobs of its kind were the operator's.
bool may_have_unseen_workload(const job& j, const cluster_options& cluster);

/// Whether jobs of this kind and namespace wait for a queue also if they name
/// none.
bool is_to_wait_without_label(const job& j, const cluster_options& cluster);

/// Whether the job names a queue, or is to wait for one without: not one that
/// had begun before it was told to.
bool has_or_needs_queue(const job& j, const job_status& saved,
                        const cluster_options& cluster);

/// Whether the job waits until it is known whether Kueue is there.
bool waits_to_know_of_queue(const job& j, const observed_children& seen,
                            const job_status& saved,
                            const cluster_options& cluster);

/// What decides its next step; nullopt: it is in no queue of ours.
std::optional<queue_view> look_at_queue(const job& j,
                                        const observed_children& seen,
                                        const expectations& open,
                                        const job_status& saved, time_point now,
                                        const cluster_options& cluster);

/// The Workload of a job that waits for quota, and is not stopped otherwise;
/// nullptr: it does not.
const child_view* find_workload_without_quota(const job& j,
                                              const observed_children& seen,
                                              const cluster_options& cluster);

/// The next step of the job in its queue; nullopt: it is in none of ours.
std::optional<queue_step>
find_queue_step(const job& j, const observed_children& seen,
                const expectations& open, const job_status& saved,
                time_point now, const cluster_options& cluster);

/// The job as a pass looks at it, if that differs: suspended while its queue
/// holds it, smaller until it is given more.
std::optional<job> job_within_queue(const job& j,
                                    const std::optional<queue_step>& step);

/// Adds the order of the step, or the look-up, unless one is under way.
void plan_queue_step(plan_result& result, const queue_step& step,
                     const expectations& open, time_point now, const job& j);

} // namespace troupe::core
