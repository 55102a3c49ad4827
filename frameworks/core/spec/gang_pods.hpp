#pragma once

#include "frameworks/core/model/framework.hpp"

#include <nlohmann/json_fwd.hpp>

#include <vector>

namespace troupe::core {

// What gang scheduling changes in pods; see gang.hpp.

/// Marks a pod, which is otherwise complete, for the scheduler as a member of
/// its group. Without gang scheduling the pod stays as it is.
void set_gang_scheduling_fields(nlohmann::json& pod, const job& j,
                                const slot& at, const cluster_options& cluster);

/// The event of training-operator v1 when a template names another scheduler.
std::vector<job_event>
foreign_scheduler_warnings(const job& j, const cluster_options& cluster);

} // namespace troupe::core
