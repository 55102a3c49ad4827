#pragma once

#include "frameworks/core/base/quantity.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <string>

namespace troupe::core {

/// Amounts by the name of the resource.
using resource_amounts = std::map<std::string, quantity>;

/// Whether a template says in `spec.resources` what a whole pod may use of CPU,
/// memory or huge pages.
bool has_pod_level_resources(const nlohmann::json& pod_template);

/// Adds what that many pods of a template request, as kube-scheduler counts it
/// once the API server has filled in defaults: containers together with
/// sidecars, or an init container where that is more; in place of it, resource
/// by resource, what the whole pod requests; and the overhead.
void add_pod_requests(resource_amounts& sum, const nlohmann::json& pod_template,
                      std::int32_t times);

} // namespace troupe::core
