#pragma once

#include "k8s/apiserver/resources/request_info.hpp"
#include "k8s/apiserver/state/server_state.hpp"

namespace troupe::k8s::apiserver {

/// Answers GET of metrics.k8s.io: what nodes and pods use, which `kubectl top`
/// shows. Measured when asked; the answer may come later, from another thread.
void serve_resource_metrics(server_state& state, const request_info& info,
                            const http::response_writer_ptr& writer);

} // namespace troupe::k8s::apiserver
