#pragma once

#include "k8s/json.hpp"

namespace troupe::core {

// What k8s/json.hpp has, without its namespace. Only for sources.

using k8s::array_at;
using k8s::bool_at;
using k8s::ensure_array;
using k8s::ensure_object;
using k8s::equal_except;
using k8s::int32_at;
using k8s::int64_at;
using k8s::json;
using k8s::parse_json_or_null;
using k8s::text_at;
using k8s::to_quoted;
using k8s::to_text;
using k8s::value_at;

} // namespace troupe::core
