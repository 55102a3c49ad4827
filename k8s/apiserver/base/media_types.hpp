#pragma once

#include "k8s/apiserver/base/status_error.hpp"
#include "k8s/http/server.hpp"

#include <optional>
#include <string>

namespace troupe::k8s::apiserver {

/// The form in which a client wants an object or a list.
enum class object_form : std::uint8_t { object, table, metadata };

/// The first form in the Accept header that is served. It is encoded in JSON
/// for every client, even for one that asks for YAML or protobuf: such a client
/// reads the answer's Content-Type.
object_form requested_object_form(const http::request& r);

/// The error 406 if nothing that the client accepts is served, or if it asks
/// for a list in the form of an object or the other way round; 400 if it asks
/// for a Table with an unknown includeObject.
std::optional<status_error>
check_accept_and_include_object(const http::request& r, bool is_list);

/// The version of apidiscovery.k8s.io that a client asks for; "" if it asks for
/// none.
std::string requested_aggregated_discovery_version(const http::request& r);

/// Whether OpenAPI v2 is asked for in protobuf rather than in JSON.
bool wants_openapi_protobuf(const http::request& r);

} // namespace troupe::k8s::apiserver
