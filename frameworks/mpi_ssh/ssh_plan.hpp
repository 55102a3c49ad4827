#pragma once

#include "frameworks/core/pass/reconcile_context.hpp"

namespace troupe::frameworks::mpi_ssh {

/// Decides what one reconcile does for an MPIJob v2beta1 that is not being
/// deleted: its Service, ConfigMap, Secret and pod group, then its workers,
/// then the batch/v1 Job of its launcher, whose end is the job's.
void reconcile_job(core::reconcile_context& ctx,
                   const core::observed_children& seen);

} // namespace troupe::frameworks::mpi_ssh
