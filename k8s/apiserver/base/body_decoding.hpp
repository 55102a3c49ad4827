#pragma once

#include "k8s/apiserver/base/status_error.hpp"

namespace troupe::k8s::apiserver {

/// The JSON of a request's body, which may be protobuf for the few kinds that
/// protobuf.hpp knows. DELETE may have no body.
status_or<json> decode_body(const http::request& r);

} // namespace troupe::k8s::apiserver
