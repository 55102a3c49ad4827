#pragma once

#include "frameworks/core/pass/reconcile_context.hpp"

namespace troupe::core {

/// The counts of one type as its status shows them. A running pod that is
/// being deleted, or that we are about to delete, counts as nothing: it has not
/// failed.
replica_status count_replicas(const replica_type_view& type);

/// Updates the counts of every type, and adds an event when all replicas have
/// begun to run.
void update_replica_counts_and_add_event(reconcile_context& ctx);

/// Sets the counts of a suspended job. Pods that still run while they are being
/// stopped occupy their nodes, so they count as active until they have ended.
void set_counts_of_stopping_replicas(reconcile_context& ctx,
                                     const observed_children& seen);

/// Of a job that is being deleted: fewer count as active, as its pods end. Does
/// nothing if it has finished.
void lower_counts_of_deleted_job(job_status& s, const job& j,
                                 const observed_children& seen);

/// Sets the final counts of a finished job: after a success, replicas that
/// still run count as succeeded; after a failure, none counts as active, unless
/// clean-up keeps all pods.
void finalize_replica_counts(job_status& s, clean_pod_policy clean);

} // namespace troupe::core
