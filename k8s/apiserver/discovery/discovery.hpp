#pragma once

#include "k8s/apiserver/resources/resource_registry.hpp"
#include "k8s/http/server.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace troupe::k8s::apiserver {

/// Answers the paths that name no objects: discovery, OpenAPI, version, health.
/// nullopt if the path is none of these.
std::optional<http::response>
serve_discovery_or_health_if_path(const resource_registry& types,
                                  std::string path);

/// Answers with OpenAPI v2 in protobuf if the request asks for that.
std::optional<http::response>
serve_openapi_v2_protobuf_if_asked(const http::request& r);

/// Group -> its versions, of which clients should prefer the first.
std::map<std::string, std::vector<std::string>>
versions_by_served_group(const resource_registry& types);

/// The APIResourceList of a version.
json make_resource_list(const resource_registry& types,
                        const std::string& group, const std::string& version);

} // namespace troupe::k8s::apiserver
