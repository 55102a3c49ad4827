#pragma once

#include "k8s/apiserver/base/status_error.hpp"
#include "k8s/json.hpp"

#include <cstddef>
#include <optional>

namespace troupe::k8s::apiserver {

// The limits of an object, whether it comes from a body, a patch or an apply.
// Text is read to a depth of 200 (deep_json.hpp); a stored object, with the
// owners of its fields, in a list or in an event of a watch, is less deep by
// far.

/// How deep maps and lists may be nested, including the object itself.
inline constexpr std::size_t most_object_depth = 128;
/// The same for metadata.managedFields, which repeat the fields of an object.
inline constexpr std::size_t most_managed_fields_depth = 160;
/// The same as for a body (http::limits).
inline constexpr std::size_t most_object_bytes = 16u << 20;

/// The size of a value, found by one walk over it.
struct json_extent {
  std::size_t depth = 0; ///< 0 of a plain value, 1 of an empty map.
  std::size_t bytes = 0; ///< Of its text; an escape counts as its character.
};

json_extent measure_json(const json& value);

/// The error 413 if the object is too deep or too large.
std::optional<status_error> check_object_limits(const json& object);

status_error too_deep_error();

} // namespace troupe::k8s::apiserver
