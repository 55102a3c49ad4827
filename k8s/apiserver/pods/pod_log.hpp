#pragma once

#include "k8s/apiserver/resources/request_info.hpp"
#include "k8s/apiserver/state/server_state.hpp"
#include "k8s/http/server.hpp"

namespace troupe::k8s::apiserver {

/// GET of pods/NAME/log: streams the log to `writer`.
void stream_pod_log(server_state& state, const request_info& info,
                    const http::response_writer_ptr& writer);

} // namespace troupe::k8s::apiserver
