#pragma once

#include "tests/exploration/world.hpp"

namespace troupe::exploration {

// What must hold of a job in a queue, whatever happens. `late`: the call is of
// a process that has died; no server refuses that.

/// The operator is about to write this in place of the Workload that is there.
void check_workload(world& w, const workload_body& after, bool late);
void check_removal_of_workload(world& w, bool late);
/// The same of the job.
void check_spec(world& w, const job_spec& after, bool late);
/// A pod that was just created.
void check_quota_of(world& w, const pod& created);
/// Of a job that does not run at the end, whether it has to.
void check_queue_end(world& w);

/// Whether the process knows that no pod may be there.
bool knows_of_no_quota(const operator_process& p);

} // namespace troupe::exploration
