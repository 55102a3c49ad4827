#pragma once

#include "k8s/json.hpp"

#include <functional>
#include <string>

namespace troupe::k8s::apiserver {

/// What a conversion webhook answers: the object as it reads in another version
/// ("v1alpha1") of its resource, or why it cannot.
using object_converter =
    std::function<result<json>(const json& object, const std::string& version)>;

} // namespace troupe::k8s::apiserver
