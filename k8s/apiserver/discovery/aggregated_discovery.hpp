#pragma once

#include "k8s/apiserver/resources/resource_registry.hpp"
#include "k8s/http/server.hpp"

#include <optional>

namespace troupe::k8s::apiserver {

/// Answers GET of /api and /apis with all groups, versions and resources in one
/// document, if the client asks for that (apidiscovery.k8s.io/v2).
std::optional<http::response>
serve_aggregated_discovery_if_asked(const resource_registry& types,
                                    const http::request& r);

} // namespace troupe::k8s::apiserver
