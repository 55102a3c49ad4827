#pragma once

#include "k8s/apiserver/resources/request_info.hpp"
#include "k8s/apiserver/resources/write_result.hpp"
#include "k8s/apiserver/state/server_state.hpp"

namespace troupe::k8s::apiserver {

/// POST of pods/NAME/binding: assigns the pod to a node, once. If the binding
/// has a UID, the pod must have the same. A dry run only checks.
status_or<write_result> bind_pod(server_state& state, const request_info& info,
                                 const json& body);

} // namespace troupe::k8s::apiserver
