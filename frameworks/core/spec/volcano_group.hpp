#pragma once

#include "frameworks/core/model/framework.hpp"

#include <nlohmann/json_fwd.hpp>

namespace troupe::core {

// What a job's annotations ask of Volcano beyond a gang: see
// volcano_policy_reading.hpp.

/// Adds networkTopology and subGroupPolicy to the spec of the job's PodGroup,
/// for the replicas that the job has now; nothing without such annotations.
void add_volcano_policy(nlohmann::json& group_spec, const job& j);

/// Labels a pod's metadata with the number of its sub-group, where the pods of
/// its type are divided.
void set_sub_group(nlohmann::json& metadata, const job& j, const slot& at);

} // namespace troupe::core
