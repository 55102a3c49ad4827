#pragma once

#include "frameworks/core/pass/reconcile_context.hpp"

namespace troupe::frameworks::mpi_ssh {

// Conditions, counts and events of an MPIJob v2beta1, in mpi-operator's words.

/// The first condition, and its event.
void set_created_condition(core::reconcile_context& ctx);

void set_suspended_conditions(core::reconcile_context& ctx);
/// If the job was suspended: it is not any more, and begins now.
void set_resumed_condition(core::reconcile_context& ctx);

/// A launcher whose Job is complete is done. If that does not end the job, it
/// is not made again when somebody removes its Job.
void record_completed_launcher(core::reconcile_context& ctx,
                               const core::observed_children& seen);

/// Counts of what is there: pods that still run while they are being stopped,
/// too.
void update_counts(core::reconcile_context& ctx,
                   const core::observed_children& seen);

/// Running, if a launcher and all workers run.
void set_running_condition_if_all_run(core::reconcile_context& ctx,
                                      const core::observed_children& seen);

/// Ends the job if its launcher has ended, or its success policy says so, by
/// the counts in the status. Returns whether it did. The failure of a launcher
/// that may be restarted is no end.
bool end_job_with_launcher(core::reconcile_context& ctx,
                           const core::observed_children& seen);

/// Ends it for a reason of our own.
void fail_job(core::reconcile_context& ctx, const std::string& reason,
              const std::string& message);

/// mpi-operator sets Failed when workers are evicted, and goes on: that is no
/// end, and is taken back.
void remove_unfinished_failure(core::job_status& s);

} // namespace troupe::frameworks::mpi_ssh
