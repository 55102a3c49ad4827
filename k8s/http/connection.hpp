#pragma once

#include "k8s/http/access.hpp"
#include "k8s/http/client_shares.hpp"
#include "k8s/http/maybe_tls_socket.hpp"
#include "k8s/http/message_format.hpp"
#include "k8s/http/server.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <thread>

namespace troupe::k8s::http {

class connection;
class websocket_session;

/// Runs tasks on the server's thread. It outlives the server, since others may
/// still have response writers then.
struct server_executor {
  std::mutex lock;
  boost::asio::io_context* io = nullptr; ///< Null once the server is gone.
  std::atomic<std::thread::id> thread{};

  bool is_on_server_thread() const {
    return thread.load() == std::this_thread::get_id();
  }
  /// Runs `task` on the server's thread: at once if called there, later if
  /// not, never if the server is gone.
  void dispatch(std::function<void()> task);
  /// Like dispatch(), but never at once: after all tasks that any thread gave
  /// before.
  void post(std::function<void()> task);
};

/// What all connections of one server share. Used on the server's thread.
struct server_context {
  server_context(handler h, const limits& l, access_policy a)
      : handle_request(std::move(h))
      , limit(l)
      , access(std::move(a))
      , shares({l.connections, l.connections_per_client, l.request_bytes,
                l.request_bytes_per_client}) {}

  handler handle_request;
  limits limit;
  access_policy access;
  connection_ends ends; ///< The server's own: bound, port and host_name.
  /// Null without a certificate.
  std::shared_ptr<boost::asio::ssl::context> tls;
  std::shared_ptr<server_executor> executor =
      std::make_shared<server_executor>();
  client_shares shares;
  std::map<client_shares::number, connection*> present;
  client_shares::number last_number = 0; ///< Of a connection.
  /// Connections that are leaving, the oldest first; if they are too many, the
  /// oldest is closed.
  std::vector<client_shares::number> leaving;
  std::array<char, 65536> thrown_away{}; ///< What they still send.

  /// Counts a connection that has ended no more.
  void stop_counting(client_shares::number connection);
  void close_oldest_leaving_if_too_many();
  /// Called when the last connection has ended; empty unless the server drains.
  std::function<void()> on_last_closed;
};

/// The message of a 503: requests and answers share the memory.
inline constexpr const char* no_room_message =
    "requests that are under way, and answers that their clients have not "
    "read, take all the memory that they may; read them, ask for less at a "
    "time, or try again later";

/// One client, from accept to close: does the TLS handshake if the client
/// begins one; then, for each request, reads the head, decides whether to let
/// it in, reads the body, calls the handler and writes the answer. It lives as
/// long as an operation on its socket or timer is under way; everything happens
/// on the server's thread.
class connection : public std::enable_shared_from_this<connection> {
public:
  connection(boost::asio::ip::tcp::socket s, server_context& h);
  ~connection();

  void start_serving();
  /// Closes it to make room for another one; a request that has been read in
  /// part is answered 503.
  void close_to_make_room();
  /// Answers 503 and leaves, without reading.
  void reject_over_limit();
  void close();
  /// Closes after the answer to the present request; at once if there is none.
  void close_after_reply();

  // The response writer of request number `turn` calls these; calls for other
  // requests are ignored.
  void reply(std::uint64_t turn, response r);
  void start(std::uint64_t turn, response head);
  void write(std::uint64_t turn, std::string piece);
  void finish(std::uint64_t turn);
  void on_disconnect(std::uint64_t turn, std::function<void()> gone);
  void on_drained(std::uint64_t turn, std::function<void()> drained);
  void on_writer_dropped(std::uint64_t turn);
  message_stream_ptr accept_websocket(std::uint64_t turn,
                                      const std::string& subprotocol,
                                      message_stream_events events);

  /// The session of a WebSocket calls this at its end.
  void close_after_websocket();
  /// The session calls this: its messages take `bytes`. False if there is no
  /// room. While they count, the connection may be closed to make room for
  /// others.
  bool hold_message_bytes(std::size_t bytes);
  /// Counts the bytes of an answer or a stream that the client has not taken,
  /// and closes connections of clients that hold more if it needs room. False
  /// if there is no room.
  bool hold_answer_bytes(std::size_t unsent);

private:
  /// What the connection does now; each phase has its deadline.
  enum class phase : std::uint8_t {
    idle,      ///< Nothing of a request is here.
    greeting,  ///< The handshake of TLS.
    reading,   ///< Part of a request is here.
    deciding,  ///< Whether the request is let in; its body is not read.
    answering, ///< The handler has it; no deadline.
    streaming, ///< A streamed response is being sent.
    websocket, ///< The socket is a WebSocket's.
    replying,  ///< The last bytes of an answer are being written.
    lingering, ///< Nothing more is sent; what arrives is thrown away.
    closed,
  };
  using error = const boost::system::error_code&;

  void read_request();
  void read_first_bytes();
  bool should_start_tls() const;
  void start_tls();
  void read_head();
  void parse_head_or_read_more();
  void read_skip_or_refuse_body();
  void skip_body_or_end_keep_alive();
  void read_body_then_call_handler();
  /// Counts what the request takes; answers 503 if there is no room.
  bool hold_request_bytes_or_send_error();
  bool make_room_and_hold_bytes(std::size_t bytes);
  void release_bytes_except_tls();
  bool hold_stream_bytes();
  std::size_t tls_bytes() const;
  void ask_for_admission_or_read_body();
  void on_admission(std::uint64_t turn, const std::optional<response>& refusal);
  void send_body_too_large();
  void send_read_error_or_close(error e);
  void start_leaving();
  void call_handler_and_watch_for_disconnect();
  bool authorize_request_or_send_error();
  bool try_convert_head_to_request();
  void send_error_and_close(int status, std::string why);
  void send_error_and_close(response r);
  void send_then_read_next_or_close(std::string head, std::string body);
  void write_pending_output();
  void read_next_or_close();
  void close_gracefully();
  void discard_input_until_closed();
  void watch_for_disconnect();
  void poll_for_client_disconnect();
  void enter_phase_with_deadline(phase p, std::chrono::seconds s);
  void wait_for_deadline();
  void on_deadline();
  client_shares::use use_in(phase p) const;
  bool is_reading() const { return phase_ == phase::reading && !is_leaving_; }
  bool is_current_turn_in_phase(std::uint64_t turn, phase p) const {
    return turn == turn_ && phase_ == p;
  }

  using parser =
      boost::beast::http::request_parser<boost::beast::http::string_body>;
  using clock = std::chrono::steady_clock;

  server_context& server_;
  const client_shares::number number_;
  connection_ends ends_;
  maybe_tls_socket socket_;
  boost::asio::steady_timer timer_;
  boost::asio::steady_timer end_timer_; ///< Of poll_for_client_disconnect.
  clock::time_point deadline_ = clock::time_point::max();
  clock::time_point timer_due_ = clock::time_point::max();
  boost::beast::flat_buffer buffer_; ///< Bounded.
  std::optional<parser> parser_;
  request request_; ///< What the parser has read of it.
  std::size_t body_limit_ = 0;
  std::size_t held_ = 0;        ///< Bytes, as the shares count them.
  bool is_answer_held_ = false; ///< They are those of an answer.
  bool is_websocket_request_ = false;
  std::shared_ptr<websocket_session> websocket_;
  phase phase_ = phase::idle;
  /// Itself, while it waits for nothing except the handler's answer.
  std::shared_ptr<connection> self_while_answering_;
  bool timed_out_ = false;
  bool is_leaving_ = false; ///< It counts no more; at most an answer follows.
  std::uint64_t turn_ = 0;
  bool keep_alive_ = true;
  bool chunked_ = true; ///< An HTTP/1.0 client knows no chunks.
  bool head_only_ = false;
  std::function<void()> on_disconnect_;
  std::function<void()> on_drained_;
  /// Bytes that the writer of the present answer was given and the client has
  /// not taken.
  std::shared_ptr<std::atomic<std::size_t>> unsent_;
  // What is being written; in a stream, `waiting_` is written after it.
  std::string out_head_;
  std::string out_body_;
  std::string out_tail_;
  std::string waiting_;
  bool writing_ = false;
  bool finished_ = false;
  std::size_t drained_ = 0;
};

/// The response writer of request number `turn` of `c`. It adds the bytes that
/// it is given to `unsent`.
response_writer_ptr
make_response_writer(std::shared_ptr<server_executor> executor,
                     std::weak_ptr<connection> c, std::uint64_t turn,
                     std::shared_ptr<std::atomic<std::size_t>> unsent);

} // namespace troupe::k8s::http
