#pragma once

#include "k8s/apiserver/base/status_error.hpp"

#include <string_view>

namespace troupe::k8s::apiserver {

/// Reads the protobuf form in which kubectl and clients in Go send built-in
/// resources. Other kinds, and fields that message_table does not have, are
/// refused with 415.
status_or<json> decode_protobuf(std::string_view body);

} // namespace troupe::k8s::apiserver
