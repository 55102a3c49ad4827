#pragma once

#include "k8s/apiserver/base/status_error.hpp"
#include "k8s/json.hpp"

#include <cstddef>
#include <optional>

namespace troupe::k8s::apiserver {

// What an object may be at most, whoever made it: a body, a patch, an apply.
// Text is read down to a depth of 200 (json.hpp): what is stored, with the
// owners of its fields, in a list or in an event of a watch, is well above.

/// How deep maps and lists may lie in each other, the object itself included.
inline constexpr std::size_t most_object_depth = 128;
/// The same of metadata.managedFields, which repeat the fields of an object.
inline constexpr std::size_t most_managed_fields_depth = 160;
/// As a body may have (http::limits).
inline constexpr std::size_t most_object_bytes = 16u << 20;

/// What a value costs, by one walk over it.
struct json_extent {
  std::size_t depth = 0; ///< 0 of a plain value, 1 of an empty map.
  std::size_t bytes = 0; ///< Of its text; escapes count as what they stand for.
};

json_extent measure_json(const json& value);

/// Why the object is too deep or too large: 413.
std::optional<status_error> check_object_limits(const json& object);

status_error too_deep_error();

} // namespace troupe::k8s::apiserver
