#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace troupe::k8s::node {

/// A stream_session on the node's thread.
class pod_stream_session {
public:
  virtual ~pod_stream_session() = default;
  virtual void write_input(std::string bytes) = 0;
  virtual void close_input() = 0;
  virtual void resize_terminal(std::uint16_t, std::uint16_t) {}
  virtual void resume_output() = 0;
  /// The client has left.
  virtual void on_client_disconnected() = 0;
};

using pod_stream_session_ptr = std::shared_ptr<pod_stream_session>;

} // namespace troupe::k8s::node
