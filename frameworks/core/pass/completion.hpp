#pragma once

#include "frameworks/core/pass/reconcile_context.hpp"

namespace troupe::core {

/// Computes the job's conditions from the counts of its pods, type by type in
/// the framework's order. Succeeded and Failed end the evaluation. Per type
/// with replicas:
///
///   chief, done                Succeeded
///   failed, to be replaced     Restarting
///   failed, permanent code     Failed, with the common message
///   failed, enableDynamicWorker nothing
///   failed otherwise           Failed, with the framework's message
///   chief, active              Running, unless something is Restarting
///
/// A success policy of the job decides Succeeded in place of the chief. Of
/// failures that restart more than a pod, see restart_scope.hpp.
void update_conditions_or_end_job(reconcile_context& ctx);

/// Whether the job has a success policy that says more than its kind's rule.
bool has_own_success_policy(const job& j);
/// By that policy, and by the counts in the status.
bool has_succeeded_by_policy(const reconcile_context& ctx);

} // namespace troupe::core
