#pragma once

#include "k8s/apiserver/resources/resource_registry.hpp"

#include <string>

namespace troupe::k8s::apiserver {

/// An OpenAPI v2 document without schemas. These are published in version 3
/// only, so clients leave validation to the server.
json make_empty_openapi_v2();
/// The same in protobuf, which kubectl reads. It does not check kinds that are
/// not in the document, and takes an answer in JSON for a broken one.
std::string make_empty_openapi_v2_protobuf();

/// The OpenAPI v3 document of a group and version, whose resources are served
/// below `root` ("apis/apps/v1"). Its PATCH operations say that the server
/// validates fields, which kubectl asks for.
json make_openapi_v3(const resource_registry& types, const std::string& root,
                     const std::string& group, const std::string& version);

} // namespace troupe::k8s::apiserver
