#pragma once

#include "k8s/apiserver/base/status_error.hpp"
#include "k8s/apiserver/schema/schema.hpp"

namespace troupe::k8s::apiserver {

/// Says what is wrong with a value. `old`, if any, is the value it replaces.
void validate_value(const schema& s, const json& value, const json* old,
                    const std::string& path, field_errors& out);

/// Drops the members of maps that are null: built-in resources have none.
void drop_nulls(json& value);

} // namespace troupe::k8s::apiserver
