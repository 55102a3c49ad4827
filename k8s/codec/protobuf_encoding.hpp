#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace troupe::k8s {

/// The protobuf form of an object of the core group ("v1"), which API servers
/// decode with less work than its JSON.
///
/// nullopt if it is not certain that a server reads the same from it: for
/// objects of other groups, fields that message_table does not have, values of
/// another type than the field's (only JSON gets the server's error message for
/// them), numbers that may not fit, and binary data.
std::optional<std::string> json_to_protobuf_if_certain(std::string_view text);

} // namespace troupe::k8s
