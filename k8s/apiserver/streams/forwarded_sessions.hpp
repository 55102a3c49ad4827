#pragma once

#include "k8s/apiserver/streams/port_forwarding.hpp"

#include <atomic>
#include <deque>
#include <map>
#include <memory>

namespace troupe::k8s::apiserver {

/// The connections to ports of a pod that one client has over one WebSocket,
/// whatever subprotocol it speaks. Each end can make the other wait. Everything
/// happens on the server's thread, except for output.
class forwarded_sessions
    : public std::enable_shared_from_this<forwarded_sessions> {
public:
  /// The callbacks of a connection.
  struct listener {
    /// Puts bytes of the pod into a message for the client. Called on any
    /// thread.
    std::function<std::string(const std::string& bytes)> format_output;
    /// The pod has closed the connection, or the connection could not be made;
    /// `why` is the reason, or "". It has been removed by then.
    std::function<void(const std::string& why)> on_end;
  };

  forwarded_sessions(http::message_stream_ptr client, connection_starter start)
      : client_(std::move(client))
      , start_(std::move(start)) {}

  http::message_stream& client() { return *client_; }

  void open(const std::string& id, std::uint16_t port, listener l);
  bool contains(const std::string& id) const { return open_.count(id) > 0; }
  std::size_t size() const { return open_.size(); }
  /// Sends bytes to the pod; `is_last` closes its input after them.
  void send_input(const std::string& id, std::string bytes, bool is_last);
  void close(const std::string& id);
  void close_all() { open_.clear(); }

  /// Asks the client for its next message, now or when pods have taken enough
  /// of what came before.
  void request_message();
  /// The client takes more output again.
  void resume_output();

private:
  struct connection {
    listener tells;
    stream_session_ptr session;
    std::deque<std::string> input; ///< The first is being passed on.
    bool is_input_closed = false;
  };
  using connections = std::map<std::string, connection>;

  static void write_next_input_or_close(connection& c);
  void on_input_taken(const std::string& id);
  void on_session_end(const std::string& id, const std::string& why);
  void erase(connections::iterator i);

  const http::message_stream_ptr client_;
  const connection_starter start_;
  connections open_;
  std::size_t input_bytes_ = 0;
  bool is_held_ = false; ///< The client waits until pods have read.
  /// Whether a connection waits for the client; set on the node's thread.
  std::shared_ptr<std::atomic<bool>> is_any_paused_ =
      std::make_shared<std::atomic<bool>>(false);
};

} // namespace troupe::k8s::apiserver
