#pragma once

#include "k8s/apiserver/base/status_error.hpp"
#include "k8s/apiserver/schema/schema.hpp"

namespace troupe::k8s::apiserver {

/// Adds what is wrong with a value to `out`. `old`, if any, is the value that
/// it replaces; a part that is the same there is not checked.
void validate_value_except_unchanged(const schema& s, const json& value,
                                     const json* old, const std::string& path,
                                     field_errors& out);

/// Drops the null members of maps, at every depth: built-in resources have
/// none.
void drop_null_members(json& value);

} // namespace troupe::k8s::apiserver
