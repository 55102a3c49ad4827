#pragma once

#include "k8s/apiserver/base/status_error.hpp"
#include "k8s/apiserver/schema/schema.hpp"

#include <string>
#include <vector>

namespace troupe::k8s::apiserver {

/// Checks a definition; `old` is what it replaces, null for a new one. Rules
/// that cannot be enforced are named in `warnings`.
field_errors validate_crd_except_patterns(const json& crd, const json* old,
                                          std::vector<std::string>& warnings);

/// Checks the patterns of a definition, whatever else is wrong with it.
field_errors validate_crd_patterns(const json& crd);

/// The name of the version marked as such; "" if there is none.
std::string storage_version_name(const json& crd);

/// The schema of a version, with the fields that every object has.
schema compile_version_schema(const json& version, const std::string& path,
                              std::vector<std::string>& warnings);

} // namespace troupe::k8s::apiserver
