#pragma once

#include "k8s/http/server.hpp"
#include "k8s/streaming_runtime.hpp"

#include <functional>
#include <string>
#include <vector>

namespace troupe::k8s::apiserver {

/// The subprotocol of portforward that kubectl speaks: SPDY/3.1 inside the
/// messages, whose boundaries mean nothing.
extern const char* const spdy_port_forward_subprotocol;

/// Opens a connection to a port of the pod.
using connection_starter =
    std::function<stream_session_ptr(std::uint16_t port, session_sink sink)>;

/// Answers a request for a WebSocket that speaks it. For each connection the
/// client opens two streams with one request ID: one for the bytes, one for the
/// text of an error.
void serve_port_forward(const http::response_writer_ptr& writer,
                        connection_starter start);

} // namespace troupe::k8s::apiserver
