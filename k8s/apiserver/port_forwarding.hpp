#pragma once

#include "k8s/http/server.hpp"
#include "k8s/streaming_runtime.hpp"

#include <functional>
#include <string>
#include <vector>

namespace troupe::k8s::apiserver {

/// The subprotocols of portforward: SPDY/3.1 inside the messages, whose borders
/// mean nothing.
const std::vector<std::string>& port_forward_subprotocols();

/// Begins a connection to a port of the pod.
using connection_starter =
    std::function<stream_session_ptr(std::uint16_t port, session_sink sink)>;

/// Answers a request for a WebSocket of one of the subprotocols. For each
/// connection the client opens two streams with one request ID: one for the
/// bytes, one for the text of an error.
void serve_port_forward(const http::response_writer_ptr& writer,
                        const std::string& subprotocol,
                        connection_starter start);

} // namespace troupe::k8s::apiserver
