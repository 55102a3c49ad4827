#pragma once

#include "frameworks/core/pass/reconcile_context.hpp"
#include "frameworks/core/recovery/losses.hpp"

#include <vector>

namespace troupe::frameworks::mpi_ssh {

// The launcher's Job in a job that may be restarted as a whole. The Job, as its
// pod, says of which attempt it is. One that is gone may have left pods behind.

/// Whether a failure may restart more than a pod. Then the Job makes its pod
/// once only, and what follows from its end is decided here.
bool decides_about_launcher(const core::job& j);

/// Whether its Job has failed, and its pod is gone, or was never seen for so
/// long that it will not be.
bool has_launcher_failed_without_pod(core::reconcile_context& ctx,
                                     const core::observed_children& seen,
                                     const core::child_view& launcher);

/// That of the latest attempt; nullptr: there is none.
const core::child_view*
current_launcher_job(const core::reconcile_context& ctx,
                     const core::observed_children& seen);

/// That of the latest attempt which had ended when somebody removed it;
/// nullptr: there is none.
const core::child_view*
removed_launcher_job_of_attempt(const core::reconcile_context& ctx,
                                const core::observed_children& seen);

/// The pod of the latest attempt; nullptr: there is none, or nothing is decided
/// about it.
const core::child_view*
launcher_pod_in_slot(const core::reconcile_context& ctx);

/// Those of attempts that are over.
std::vector<const core::child_view*>
older_launcher_jobs(const core::reconcile_context& ctx,
                    const core::observed_children& seen);

/// Whether a pod of a launcher's Job that is not the present one is left, so
/// that neither workers nor another Job may be made.
bool is_pod_of_other_launcher_left(const core::reconcile_context& ctx,
                                   const core::observed_children& seen);

/// Whether the launcher of the latest attempt has succeeded, by the status: it
/// is not made again.
bool is_launcher_done(const core::reconcile_context& ctx);

/// Launchers that the job has lost, as far as no pod tells. Asks for another
/// pass if it is too early to say that.
std::vector<core::lost_replica>
find_lost_launchers(core::reconcile_context& ctx,
                    const core::observed_children& seen);

} // namespace troupe::frameworks::mpi_ssh
