#pragma once

#include "k8s/apiserver/resource_registry.hpp"

namespace troupe::k8s::apiserver {

/// The resources every cluster has, as far as they matter here.
std::vector<served_resource> builtin_resources();

write_strategy pod_strategy();
write_strategy service_strategy();
std::vector<printer_column> pod_printer_columns();

/// Between core/v1 and events.k8s.io/v1.
json new_event(const json& core);
json core_event(const json& recent);

/// Whether a pod is through ("Succeeded" or "Failed").
bool is_terminal(const json& pod);

} // namespace troupe::k8s::apiserver
