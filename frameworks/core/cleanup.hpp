#pragma once

#include "frameworks/core/reconcile_context.hpp"

namespace troupe::core {

/// Deletes the children of a finished job according to its clean-up policy:
///
///   policy    pods                services
///   None      none                none
///   Running   running, pending    where no pod stays
///   All       all                 all
void apply_clean_pod_policy(reconcile_context& p,
                            const observed_children& seen);

/// Removes every child, whatever the policy.
void remove_all(reconcile_context& p, const observed_children& seen,
                const std::string& why);

} // namespace troupe::core
