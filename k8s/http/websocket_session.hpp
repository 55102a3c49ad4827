#pragma once

#include "k8s/http/maybe_tls_socket.hpp"
#include "k8s/http/server.hpp"
#include "k8s/http/websocket_frames.hpp"

#include <boost/asio/steady_timer.hpp>

#include <array>
#include <atomic>

namespace troupe::k8s::http {

class connection;
struct server_executor;

/// A connection after it has become a WebSocket: reads and writes messages.
/// Belongs to the connection, whose end is its own; everything happens on the
/// server's thread.
class websocket_session
    : public std::enable_shared_from_this<websocket_session> {
public:
  websocket_session(std::shared_ptr<connection> owner, maybe_tls_socket& socket,
                    const limits& limit, message_stream_events events,
                    std::shared_ptr<std::atomic<std::size_t>> unsent);

  /// Sends the head of the answer. `early` came behind the request.
  void begin(std::string head, std::string_view early);
  void send(std::string message);
  void receive();
  void close(websocket_close why);
  void after_connection_closed();
  bool is_open() const { return owner_ != nullptr; }

private:
  using error = const boost::system::error_code&;

  void read();
  void handle_bytes();
  void handle(websocket_message m);
  void flush();
  void after_written(std::size_t payload_bytes);
  void watch_client();
  bool has_client_left() const;
  void end_connection();
  template <class F>
  void run_after(std::chrono::milliseconds wait, F f);

  std::shared_ptr<connection> owner_; ///< Null at the end.
  maybe_tls_socket& socket_;
  const limits limit_;
  message_stream_events events_;
  boost::asio::steady_timer timer_;
  websocket_reader reader_;
  std::array<char, 32768> block_;
  std::optional<std::string> message_; ///< Read, and nobody has asked for it.
  bool is_wanted_ = false;
  bool is_reading_ = false;
  bool is_handling_ = false;
  bool is_watching_ = false;
  bool is_closing_ = false; ///< A close frame is the last that is written.
  bool is_over_ = false;    ///< The client has sent its close frame.
  int quiet_rounds_ = 0;    ///< Of watch_client, since the last pong.
  std::string waiting_;     ///< To be written.
  std::string written_;     ///< Being written; empty if nothing is.
  std::size_t waiting_payload_ = 0;
  /// Bytes of messages that this has been given and the client has not taken.
  std::shared_ptr<std::atomic<std::size_t>> unsent_;
};

/// What a handler has of the session; counts in `unsent` what it is given.
message_stream_ptr
make_message_stream(std::shared_ptr<server_executor> executor,
                    std::weak_ptr<websocket_session> session,
                    std::shared_ptr<std::atomic<std::size_t>> unsent);

} // namespace troupe::k8s::http
