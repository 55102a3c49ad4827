#pragma once

#include "k8s/apiserver/status_error.hpp"

#include <string_view>

namespace troupe::k8s::apiserver {

/// Reads the protobuf form in which kubectl's `create namespace`, `create
/// configmap` and their like send an object. Only the few kinds they make are
/// known; others are refused with 415.
status_or<json> decode_protobuf(std::string_view body);

} // namespace troupe::k8s::apiserver
