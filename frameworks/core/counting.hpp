#pragma once

#include "frameworks/core/reconcile_context.hpp"

namespace troupe::core {

/// The counts of one type as its status shows them. A running pod that is
/// being deleted counts as nothing: it has not failed.
replica_status count_replicas(const replica_type_view& type);

/// Renews the counts of every type, and tells when all have begun to run.
void update_replica_counts(reconcile_context& p);

/// What the counts of a job that is over come to: after a success, whoever
/// still runs has done its part; after a failure, nothing runs on if clean-up
/// stops it.
void finalize_replica_counts(job_status& s, clean_pod_policy clean);

} // namespace troupe::core
