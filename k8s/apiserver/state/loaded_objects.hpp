#pragma once

#include "k8s/apiserver/resources/resource_registry.hpp"
#include "k8s/json.hpp"

#include <string>

namespace troupe::k8s::apiserver {

/// Why a value that was read from a database cannot be the object of that
/// place, since bytes on a disk may change; "" if it can. Names, types of
/// metadata, and all types of a built-in resource are checked; rules that are
/// newer than the object are not.
std::string find_stored_object_error(const resource_registry& types,
                                     const std::string& bucket,
                                     const std::string& key, const json& value);

} // namespace troupe::k8s::apiserver
