#pragma once

#include "k8s/apiserver/base/status_error.hpp"

#include <string>

namespace troupe::k8s::apiserver {

/// Checks that a schema says of every value which type it has, so that unknown
/// fields can be found, and that its defaults are valid.
void validate_structural_schema(const json& schema, const std::string& path,
                                field_errors& out);

} // namespace troupe::k8s::apiserver
