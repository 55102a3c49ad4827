#include "k8s/http/connection.hpp"

#include "k8s/http/websocket.hpp"
#include "k8s/http/websocket_session.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/read.hpp>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace troupe::k8s::http {

namespace asio = boost::asio;
namespace beast = boost::beast::http;

connection::connection(asio::ip::tcp::socket s, server_context& h)
    : server_(h)
    , ends_(h.ends)
    , socket_(std::move(s))
    , timer_(socket_.get_executor())
    , end_timer_(socket_.get_executor()) {
  boost::system::error_code ignored;
  socket_.tcp_socket().set_option(asio::ip::tcp::no_delay(true), ignored);
  auto here = socket_.tcp_socket().local_endpoint(ignored);
  ends_.here = here.address();
  if (!ignored && !ends_.bound.is_unspecified()) {
    // It may have come by a further socket of the server.
    ends_.bound = here.address();
    ends_.port = here.port();
  }
  ends_.peer = socket_.tcp_socket().remote_endpoint(ignored).address();
  server_.present.insert(this);
}

connection::~connection() {
  server_.present.erase(this);
  if (server_.present.empty() && server_.on_last_closed)
    std::exchange(server_.on_last_closed, nullptr)();
}

void connection::start_serving() {
  read_request();
}

void connection::reject_over_limit() {
  send_error_and_close(503, "too many connections, try again later");
}

void connection::close() {
  if (phase_ == phase::closed)
    return;
  bool early = phase_ == phase::answering || phase_ == phase::streaming
               || phase_ == phase::replying;
  phase_ = phase::closed;
  boost::system::error_code ignored;
  socket_.tcp_socket().close(ignored);
  timer_.cancel();
  end_timer_.cancel();
  // Not inside a caller's `write`.
  if (early && on_disconnect_)
    asio::post(socket_.get_executor(), std::move(on_disconnect_));
  on_disconnect_ = nullptr;
  on_drained_ = nullptr;
  auto last = std::move(self_while_answering_);
  if (auto w = std::exchange(websocket_, nullptr))
    w->on_connection_closed();
}

void connection::close_after_reply() {
  keep_alive_ = false;
  if (phase_ == phase::idle)
    close();
}

// -- reading ------------------------------------------------------------------

void connection::read_request() {
  ++turn_;
  parser_.emplace();
  parser_->header_limit(static_cast<std::uint32_t>(server_.limit.header_bytes));
  parser_->body_limit(server_.limit.body_bytes);
  if (buffer_.size() > 0)
    return read_head();
  enter_phase_with_deadline(phase::idle, turn_ == 1 ? server_.limit.request_time
                                                    : server_.limit.idle_time);
  read_first_bytes();
}

void connection::read_first_bytes() {
  socket_.async_read_some(
      buffer_.prepare(16384), [self = shared_from_this()](error e, size_t n) {
        if (e || self->phase_ == phase::closed)
          return self->close();
        self->buffer_.commit(n);
        self->should_start_tls() ? self->start_tls() : self->read_head();
      });
}

/// Whether what was read is the first record of TLS; no method of HTTP begins
/// with such a byte.
bool connection::should_start_tls() const {
  constexpr char handshake = 22;
  return server_.tls && turn_ == 1 && !socket_.is_secure()
         && *static_cast<const char*>(buffer_.data().data()) == handshake;
}

void connection::start_tls() {
  socket_.async_handshake(*server_.tls, buffer_.data(),
                          [self = shared_from_this()](error e, size_t used) {
                            if (e || self->phase_ == phase::closed)
                              return self->close();
                            self->buffer_.consume(used);
                            self->ends_.secure = true;
                            self->read_first_bytes();
                          });
}

void connection::read_head() {
  enter_phase_with_deadline(phase::reading, server_.limit.request_time);
  beast::async_read_header(
      socket_, buffer_, *parser_, [self = shared_from_this()](error e, size_t) {
        if (e)
          return self->call_request_handler_or_send_error(e);
        if (!self->authorize_request_or_send_error())
          return;
        if (!beast::token_list{self->parser_->get()[beast::field::expect]}
                 .exists("100-continue")
            || self->parser_->is_done())
          return self->read_body();
        static constexpr char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
        asio::async_write(
            self->socket_, asio::buffer(go_on, sizeof go_on - 1),
            [self](error f, size_t) { f ? self->close() : self->read_body(); });
      });
}

void connection::read_body() {
  if (phase_ != phase::reading)
    return close();
  if (parser_->is_done())
    return call_request_handler();
  beast::async_read(socket_, buffer_, *parser_,
                    [self = shared_from_this()](error e, size_t) {
                      self->call_request_handler_or_send_error(e);
                    });
}

void connection::call_request_handler_or_send_error(error e) {
  if (phase_ != phase::reading)
    return close();
  if (!e)
    return call_request_handler();
  if (timed_out_)
    return send_error_and_close(408, "the request did not arrive in time");
  if (e == beast::error::header_limit)
    return send_error_and_close(
        431, "the headers are larger than "
                 + std::to_string(server_.limit.header_bytes) + " bytes");
  if (e == beast::error::body_limit)
    return send_error_and_close(
        413, "the body is larger than "
                 + std::to_string(server_.limit.body_bytes) + " bytes");
  if (e == beast::error::end_of_stream || e == beast::error::partial_message
      || e.category() != beast::make_error_code(beast::error{}).category())
    return close();
  send_error_and_close(400, "not HTTP: " + e.message());
}

// A request without permission is rejected before its body is read.
bool connection::authorize_request_or_send_error() {
  if (phase_ != phase::reading) {
    close();
    return false;
  }
  if (!try_convert_head_to_request()) {
    send_error_and_close(
        400, "malformed request: a Host header and a percent-encoded path "
             "are needed");
    return false;
  }
  auto no = check_access_and_set_user(server_.access, ends_, request_,
                                      !parser_->is_done());
  if (no)
    send_error_and_close(std::move(*no));
  return !no;
}

bool connection::try_convert_head_to_request() {
  auto& m = parser_->get();
  auto& r = request_ = {};
  keep_alive_ = m.keep_alive() && !server_.on_last_closed;
  chunked_ = m.version() >= 11;
  head_only_ = m.method() == beast::verb::head;
  r.method = std::string(m.method_string());
  r.peer = unmap_ipv4(ends_.peer).to_string();
  for (const auto& f : m) {
    std::string name(f.name_string());
    for (char& c : name)
      if (c >= 'A' && c <= 'Z')
        c = static_cast<char>(c - 'A' + 'a');
    auto [i, fresh] = r.headers.emplace(std::move(name), f.value());
    if (!fresh) // Repeated headers are one list.
      i->second.append(", ").append(f.value().data(), f.value().size());
  }
  std::string_view target{m.target().data(), m.target().size()};
  if (chunked_ && r.headers.count("host") == 0)
    return false;
  return parse_request_target(target, r);
}

void connection::call_request_handler() {
  enter_phase_with_deadline(phase::answering, std::chrono::seconds::max());
  self_while_answering_ = shared_from_this();
  request_.body = std::move(parser_->get().body());
  is_websocket_request_ = is_websocket_request(request_);
  auto turn = turn_;
  unsent_ = std::make_shared<std::atomic<std::size_t>>(0);
  auto writer =
      make_response_writer(server_.executor, weak_from_this(), turn, unsent_);
  try {
    server_.handle_request(std::exchange(request_, {}), writer);
  } catch (const std::exception& e) {
    if (is_current_turn_in_phase(turn, phase::answering))
      send_error_and_close(500, std::string("internal error: ") + e.what());
    else if (is_current_turn_in_phase(turn, phase::streaming)
             || is_current_turn_in_phase(turn, phase::websocket))
      close();
  }
  if (is_current_turn_in_phase(turn, phase::answering)
      || is_current_turn_in_phase(turn, phase::streaming))
    watch_for_disconnect();
}

// The socket becoming readable in the middle of an answer means the client
// closed it, or sends the next request already.
void connection::watch_for_disconnect() {
  socket_.tcp_socket().async_wait(
      asio::ip::tcp::socket::wait_read,
      [weak = weak_from_this(), turn = turn_](error e) {
        auto self = weak.lock();
        if (e || !self || turn != self->turn_
            || (self->phase_ != phase::answering
                && self->phase_ != phase::streaming))
          return;
        char c;
        auto n = ::recv(self->socket_.tcp_socket().native_handle(), &c, 1,
                        MSG_PEEK | MSG_DONTWAIT);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
          self->watch_for_disconnect();
        else if (n <= 0)
          self->close();
        else if (self->socket_.is_secure())
          self->poll_for_client_disconnect();
      });
}

// Under TLS the close_notify of a client that leaves is readable, too; the end
// of the connection follows it, and makes the socket no more readable than it
// is.
void connection::poll_for_client_disconnect() {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (::getsockopt(socket_.tcp_socket().native_handle(), IPPROTO_TCP, TCP_INFO,
                   &info, &size)
          != 0
      || info.tcpi_state != TCP_ESTABLISHED)
    return close();
  end_timer_.expires_after(std::chrono::milliseconds{100});
  end_timer_.async_wait([weak = weak_from_this(), turn = turn_](error e) {
    auto self = weak.lock();
    if (!e && self && turn == self->turn_
        && (self->phase_ == phase::answering
            || self->phase_ == phase::streaming))
      self->poll_for_client_disconnect();
  });
}

// -- deadlines ----------------------------------------------------------------

void connection::enter_phase_with_deadline(phase p, std::chrono::seconds s) {
  if (phase_ == phase::closed)
    return;
  phase_ = p;
  deadline_ = s == std::chrono::seconds::max() ? clock::time_point::max()
                                               : clock::now() + s;
  // Moving the timer at every step would cost more than the steps. One that is
  // due too early finds out and goes back to sleep.
  if (deadline_ < timer_due_)
    wait_for_deadline();
}

void connection::wait_for_deadline() {
  timer_due_ = deadline_;
  timer_.expires_at(deadline_);
  timer_.async_wait([weak = weak_from_this()](error e) {
    auto self = weak.lock();
    if (e || !self || self->phase_ == phase::closed)
      return;
    self->timer_due_ = clock::time_point::max();
    if (self->deadline_ <= clock::now())
      self->on_deadline();
    else if (self->deadline_ != clock::time_point::max())
      self->wait_for_deadline();
  });
}

void connection::on_deadline() {
  if (phase_ != phase::reading)
    return close();
  timed_out_ = true;
  boost::system::error_code ignored;
  socket_.tcp_socket().cancel(
      ignored); // Goes on in call_request_handler_or_send_error.
}

} // namespace troupe::k8s::http
