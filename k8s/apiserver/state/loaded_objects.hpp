#pragma once

#include "k8s/apiserver/resources/resource_registry.hpp"
#include "k8s/json.hpp"

#include <string>

namespace troupe::k8s::apiserver {

/// Why what was read from a database cannot be the object of that place: bytes
/// on a disk change. "" if it can. Names, types of metadata, and all types of a
/// built-in resource are checked; rules that have come since are not.
std::string find_stored_object_error(const resource_registry& types,
                                     const std::string& bucket,
                                     const std::string& key, const json& value);

} // namespace troupe::k8s::apiserver
