#pragma once

#include "k8s/apiserver/resources/served_resource.hpp"

namespace troupe::k8s::apiserver {

/// The resources every cluster has, as far as they matter here.
std::vector<served_resource> builtin_resources();

} // namespace troupe::k8s::apiserver
