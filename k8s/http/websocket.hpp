#pragma once

#include "k8s/http/server.hpp"

namespace troupe::k8s::http {

// What a handler needs to answer a request for a WebSocket (RFC 6455).

/// Whether the client asks for one: a GET with the headers of the handshake.
bool is_websocket_request(const request& r);

/// The first subprotocol that the client offers and `known` contains; "" if
/// there is none.
std::string choose_subprotocol(const request& r,
                               const std::vector<std::string>& known);

} // namespace troupe::k8s::http
