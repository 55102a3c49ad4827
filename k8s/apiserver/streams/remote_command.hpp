#pragma once

#include "k8s/http/server.hpp"
#include "k8s/streaming_runtime.hpp"

#include <functional>
#include <string>
#include <vector>

namespace troupe::k8s::apiserver {

/// The subprotocols of exec and attach. Each message begins with a byte that
/// names its channel: 0 to 2 are the standard streams, 3 is the result (a
/// Status), 4 the size of the terminal. In the later version the client may
/// close a channel: 255, and the channel.
const std::vector<std::string>& remote_command_subprotocols();

/// Begins a session that reports to `sink`.
using session_starter = std::function<stream_session_ptr(session_sink sink)>;

/// Answers a request for a WebSocket of one of the subprotocols: passes on what
/// the client and the session write, each as fast as the other reads, and the
/// result at the end. A client that leaves ends the session.
void serve_remote_command(const http::response_writer_ptr& writer,
                          const std::string& subprotocol,
                          const session_starter& start);

} // namespace troupe::k8s::apiserver
