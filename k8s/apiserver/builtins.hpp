#pragma once

#include "k8s/apiserver/resources.hpp"

namespace troupe::k8s::apiserver {

/// The resources every cluster has, as far as they matter here.
std::vector<served> builtin_resources();

conduct pod_conduct();
conduct service_conduct();
std::vector<column> pod_columns();

/// Between core/v1 and events.k8s.io/v1.
json new_event(const json& core);
json core_event(const json& recent);

/// Whether a pod is through ("Succeeded" or "Failed").
bool is_terminal(const json& pod);

} // namespace troupe::k8s::apiserver
