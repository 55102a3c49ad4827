#pragma once

#include "k8s/objects.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>

namespace troupe::actors {

/// Sets the key to the time in RFC 3339. One that is zero is not known, either.
void add_time_if_known(nlohmann::json& to, const char* key,
                       std::optional<k8s::time_point> t);

} // namespace troupe::actors
