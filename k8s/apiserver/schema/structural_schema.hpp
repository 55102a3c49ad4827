#pragma once

#include "k8s/apiserver/base/status_error.hpp"

#include <string>

namespace troupe::k8s::apiserver {

/// Checks that a schema states the type of every value, so that unknown fields
/// can be found, and that its defaults are valid.
void validate_structural_schema(const json& schema, const std::string& path,
                                field_errors& out);

/// Checks that each `pattern` is a regular expression, and that there are not
/// too many: all take their steps from `steps_left`.
void validate_patterns(const json& schema, const std::string& path,
                       std::size_t& steps_left, field_errors& out);

} // namespace troupe::k8s::apiserver
