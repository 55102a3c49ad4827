#pragma once

#include "frameworks/core/reconcile_context.hpp"

#include <nlohmann/json_fwd.hpp>

namespace troupe::frameworks::di {

/// spec.cleanPodPolicy of a DIJob of either version; absent is Running.
core::clean_pod_policy read_clean_policy(const nlohmann::json& spec);

/// Deletes what a finished job must not keep: all services, and pods according
/// to the clean-up policy:
///
///   policy    pods
///   None      none
///   Running   running and pending, unless their main process has ended
///   All       all
void clean_up(core::reconcile_context& p, const core::observed_children& seen);

} // namespace troupe::frameworks::di
