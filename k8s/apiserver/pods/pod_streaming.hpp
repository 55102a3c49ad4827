#pragma once

#include "k8s/apiserver/resources/request_info.hpp"
#include "k8s/apiserver/state/server_state.hpp"
#include "k8s/http/server.hpp"

namespace troupe::k8s::apiserver {

/// Whether the request is for pods/NAME/exec, attach or portforward.
bool is_exec_attach_or_port_forward(const request_info& info);

/// GET or POST of one of these: becomes a WebSocket that the node of the pod
/// serves.
void serve_pod_streaming(server_state& state, const request_info& info,
                         const http::response_writer_ptr& writer);

} // namespace troupe::k8s::apiserver
