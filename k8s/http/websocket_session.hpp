#pragma once

#include "k8s/http/maybe_tls_socket.hpp"
#include "k8s/http/server.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/websocket/stream.hpp>

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <string>

namespace troupe::k8s::http {

class connection;
struct server_executor;

/// Reads and writes the messages of a connection that has become a WebSocket.
/// It belongs to the connection and ends with it; everything happens on the
/// server's thread.
class websocket_session
    : public std::enable_shared_from_this<websocket_session> {
public:
  using handshake =
      boost::beast::http::request<boost::beast::http::string_body>;

  websocket_session(std::shared_ptr<connection> owner, maybe_tls_socket& socket,
                    const limits& limit, message_stream_events events,
                    std::shared_ptr<std::atomic<std::size_t>> unsent);

  /// Answers the request with which the client asks for the WebSocket.
  void accept_handshake(const handshake& request,
                        const std::string& subprotocol);
  void send(std::string message);
  void request_message();
  void close();
  void on_connection_closed();
  bool is_open() const { return owner_ != nullptr; }

private:
  using error = const boost::system::error_code&;

  void read_message();
  void read_more_of_message();
  void keep_message_then_deliver_or_read();
  bool hold_all_message_bytes();
  void refuse_message_and_close();
  void deliver_requested_message_or_read_on();
  void write_next_message();
  void send_close_frame();
  void check_client_and_send_pongs();
  bool has_client_left() const;
  void close_connection();
  template <class... Results, class F>
  auto handler_while_open(F f);

  std::shared_ptr<connection> owner_; ///< Null at the end.
  maybe_tls_socket& socket_;
  boost::beast::websocket::stream<maybe_tls_socket&, false> stream_;
  const limits limit_;
  message_stream_events events_;
  boost::asio::steady_timer timer_;
  boost::beast::flat_buffer incoming_;
  std::optional<std::string> message_; ///< Read, and nobody has asked for it.
  /// The size of the message that the receiver may still be working on.
  std::size_t delivered_bytes_ = 0;
  std::deque<std::string> waiting_; ///< The first is being written.
  std::size_t waiting_bytes_ = 0;
  bool is_accepted_ = false;
  bool is_wanted_ = false;
  bool is_reading_ = false;
  bool is_delivering_ = false;
  bool is_writing_ = false;
  bool is_closing_ = false; ///< After `waiting_` comes a close frame.
  /// Rounds of check_client_and_send_pongs since the last pong.
  int quiet_rounds_ = 0;
  /// Bytes of messages to send that the client has not taken.
  std::shared_ptr<std::atomic<std::size_t>> unsent_;
};

/// The handler's side of the session. It adds the bytes that it is given to
/// `unsent`.
message_stream_ptr
make_message_stream(std::shared_ptr<server_executor> executor,
                    std::weak_ptr<websocket_session> session,
                    std::shared_ptr<std::atomic<std::size_t>> unsent);

} // namespace troupe::k8s::http
