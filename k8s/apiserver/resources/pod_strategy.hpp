#pragma once

#include "k8s/apiserver/resources/served_resource.hpp"

namespace troupe::k8s::apiserver {

/// How pods are defaulted and validated.
write_strategy pod_strategy();

/// Whether the pod's phase is Succeeded or Failed.
bool is_terminal_pod(const json& pod);

} // namespace troupe::k8s::apiserver
