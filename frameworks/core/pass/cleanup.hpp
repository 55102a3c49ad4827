#pragma once

#include "frameworks/core/pass/reconcile_context.hpp"

namespace troupe::core {

/// Deletes the children of a finished job according to its clean-up policy:
///
///   policy    pods                services
///   None      none                none
///   Running   running, pending    all
///   All       all                 all
void delete_children_by_clean_pod_policy(reconcile_context& ctx,
                                         const observed_children& seen);

/// Deletes all pods and services, whatever the policy.
void delete_pods_and_services(reconcile_context& ctx,
                              const observed_children& seen,
                              const std::string& why);

} // namespace troupe::core
