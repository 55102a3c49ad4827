#pragma once

#include "k8s/apiserver/resource_registry.hpp"
#include "k8s/http/server.hpp"

#include <optional>

namespace troupe::k8s::apiserver {

/// Answers the paths that name no objects: discovery, OpenAPI, version, health.
/// nullopt if the path is none of these.
std::optional<http::response> answer_discovery(const resource_registry& types,
                                               const http::request& r);

} // namespace troupe::k8s::apiserver
