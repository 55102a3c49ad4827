#pragma once

#include "k8s/apiserver/resources/request_info.hpp"
#include "k8s/apiserver/state/server_state.hpp"
#include "k8s/http/server.hpp"

namespace troupe::k8s::apiserver {

/// Opens a watch that writes to `writer`: first the changes that the client has
/// missed, then every change until the client leaves or its timeout has passed.
void start_watch(server_state& state, const request_info& info,
                 const http::response_writer_ptr& writer);

} // namespace troupe::k8s::apiserver
