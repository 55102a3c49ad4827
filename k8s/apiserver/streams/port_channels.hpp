#pragma once

#include "k8s/apiserver/base/status_error.hpp"
#include "k8s/apiserver/streams/port_forwarding.hpp"

namespace troupe::k8s::apiserver {

/// The subprotocol of portforward that needs no SPDY: each message begins with
/// the number of a channel. The request names the ports (`ports`); the n-th has
/// the channels 2n for its bytes and 2n + 1 for the text of an error, on both
/// of which the server's first message is the port, the low byte first. Each
/// port is one connection, which is opened at once.
extern const char* const port_channels_subprotocol;

/// The ports that a request names, in its order; several may be in one value,
/// with commas.
status_or<std::vector<std::uint16_t>>
parse_forwarded_ports(const std::vector<std::string>& values);

/// Answers a request for a WebSocket that speaks it. It is closed when all its
/// connections have ended.
void serve_port_channels(const http::response_writer_ptr& writer,
                         const std::vector<std::uint16_t>& ports,
                         connection_starter start);

} // namespace troupe::k8s::apiserver
