#pragma once

#include "frameworks/core/pass/reconcile_context.hpp"

namespace troupe::frameworks::mpi_ssh {

/// Looks for a launcher Job that no watch has shown, although the saved status
/// counts one: mpi-operator's has no label that a watch selects by; or for one
/// that vanished between two watches. Returns whether the pass can go on; if
/// there is none, the job is failed, because its work may have been done. One
/// that may be restarted as a whole goes on.
bool find_or_miss_earlier_launcher(core::reconcile_context& ctx,
                                   const core::observed_children& seen);

/// Creates the launcher's Job, or brings its suspension in line with the job's.
/// `stops`: the job is suspended, or has to stop before it is resumed.
/// `workers_ready`: whether one that waits for workers may start.
void reconcile_launcher_job(core::reconcile_context& ctx,
                            const core::observed_children& seen, bool stops,
                            bool workers_ready);

} // namespace troupe::frameworks::mpi_ssh
