#pragma once

#include "frameworks/core/pass/reconcile_context.hpp"

#include <nlohmann/json_fwd.hpp>

namespace troupe::frameworks::di {

/// spec.cleanPodPolicy of a DIJob of either version; Running if it is absent,
/// None if it is unknown.
core::clean_pod_policy read_di_clean_pod_policy(const nlohmann::json& spec);

/// Deletes what a finished job must not keep: all services, and pods according
/// to the clean-up policy:
///
///   policy    pods
///   None      none
///   Running   running and pending, unless their main process has ended
///   All       all
void delete_children_of_finished_job(core::reconcile_context& ctx,
                                     const core::observed_children& seen);

} // namespace troupe::frameworks::di
