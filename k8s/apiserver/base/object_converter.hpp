#pragma once

#include "k8s/json.hpp"

#include <functional>
#include <string>

namespace troupe::k8s::apiserver {

/// Stands for a conversion webhook: returns the object in another version
/// ("v1alpha1") of its resource, or why it cannot be converted.
using object_converter =
    std::function<result<json>(const json& object, const std::string& version)>;

} // namespace troupe::k8s::apiserver
