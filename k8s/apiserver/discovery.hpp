#pragma once

#include "k8s/apiserver/resource_registry.hpp"
#include "k8s/http/server.hpp"

#include <optional>
#include <string>

namespace troupe::k8s::apiserver {

/// Answers the paths that name no objects: discovery, OpenAPI, version, health.
/// nullopt if the path is none of these.
std::optional<http::response>
answer_discovery_or_health(const resource_registry& types, std::string path);

} // namespace troupe::k8s::apiserver
