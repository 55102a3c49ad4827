#pragma once

#include "frameworks/core/pass/reconcile_context.hpp"

#include <string>

namespace troupe::frameworks::mpi_ssh {

// What a pass does if a job has lost pods and has a policy on that.

/// Fails the job, or begins another attempt, as its policy says. Returns
/// whether the job goes on.
bool go_on_after_losses(core::reconcile_context& ctx,
                        const core::observed_children& seen);

/// The same if it is silent for too long.
bool go_on_unless_stalled(core::reconcile_context& ctx,
                          const core::observed_children& seen);

/// Deletes the launcher's Job and the workers of attempts that are over, if the
/// reason for it is saved.
void stop_older_attempts_of_all(core::reconcile_context& ctx,
                                const core::observed_children& seen);

/// Deletes the Job of a launcher that is to be replaced without its workers.
void replace_failed_launcher(core::reconcile_context& ctx,
                             const core::observed_children& seen);

/// Whether workers must not be made, because what an older attempt had is not
/// gone.
bool are_workers_held(const core::reconcile_context& ctx,
                      const core::observed_children& seen,
                      const core::replica_spec& workers);

/// A job that has ended by a policy may have a launcher that still runs: it is
/// deleted as its workers are, by cleanPodPolicy.
void stop_launcher_of_finished_job(core::reconcile_context& ctx,
                                   const core::observed_children& seen);

/// "is restarting (attempt 2) and waits for the end of pi-launcher-x7k2p: ".
std::string describe_restart(const core::reconcile_context& ctx,
                             const core::observed_children& seen);

} // namespace troupe::frameworks::mpi_ssh
