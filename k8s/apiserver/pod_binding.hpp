#pragma once

#include "k8s/apiserver/request_info.hpp"
#include "k8s/apiserver/server_state.hpp"
#include "k8s/apiserver/write_result.hpp"

namespace troupe::k8s::apiserver {

/// POST of pods/NAME/binding: assigns the pod to a node, once. If the binding
/// has a UID, the pod must have it, too.
status_or<write_result> bind_pod(server_state& state, const request_info& info,
                                 const json& body);

} // namespace troupe::k8s::apiserver
