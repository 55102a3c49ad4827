#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace troupe::k8s::node {

/// A stream_session as the node's thread sees it.
class node_session {
public:
  virtual ~node_session() = default;
  virtual void write_input(std::string bytes) = 0;
  virtual void close_input() = 0;
  virtual void resize(std::uint16_t, std::uint16_t) {}
  virtual void resume_output() = 0;
  /// The client has left.
  virtual void close() = 0;
};

using node_session_ptr = std::shared_ptr<node_session>;

} // namespace troupe::k8s::node
