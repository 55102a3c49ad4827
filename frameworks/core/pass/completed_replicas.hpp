#pragma once

#include "frameworks/core/pass/reconcile_context.hpp"

namespace troupe::core {

/// A replica whose success has been seen is done: it is not made again when its
/// pod is gone, as long as the job runs, and stays counted.

/// Adds the replicas whose pods have succeeded to the status; not those that
/// are being deleted, because programs end with 0 when they are asked to end.
/// What is known of types that the job no longer has is forgotten, and what is
/// more than a status keeps (see keep_writable_completed).
void record_completed_replicas(reconcile_context& ctx);

/// Whether the replica of this index is done, by the status.
bool is_completed(const reconcile_context& ctx, const replica_spec& type,
                  std::int32_t index);

/// How many replicas of the type are done whose pods are gone.
std::int32_t count_completed_without_pod(const reconcile_context& ctx,
                                         const replica_type_view& type);

/// A finished or suspended job has none: what it does next, it does anew.
void forget_completed_replicas(job_status& s);

} // namespace troupe::core
