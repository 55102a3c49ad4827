#pragma once

#include "k8s/json.hpp"
#include "k8s/objects.hpp"

#include <string>

namespace troupe::k8s::apiserver {

/// What `kubectl get jobs` shows in one column: "!job_status",
/// "!job_completions", "!job_duration", "!job_containers", "!job_images" or
/// "!job_selector".
std::string job_table_cell(const std::string& column, const json& job,
                           time_point now);

} // namespace troupe::k8s::apiserver
