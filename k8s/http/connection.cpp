#include "k8s/http/connection.hpp"

#include "k8s/http/websocket.hpp"
#include "k8s/http/websocket_session.hpp"

#include <boost/asio/post.hpp>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace troupe::k8s::http {

namespace asio = boost::asio;

namespace {

/// Beside headers: what comes with them, and the lines between chunks.
constexpr std::size_t more_than_headers = 64u << 10;

} // namespace

connection::connection(asio::ip::tcp::socket s, server_context& h)
    : server_(h)
    , number_(++h.last_number)
    , ends_(h.ends)
    , socket_(std::move(s))
    , timer_(socket_.get_executor())
    , end_timer_(socket_.get_executor())
    , buffer_(h.limit.header_bytes + more_than_headers) {
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
  server_.present.emplace(number_, this);
  server_.shares.add(number_, unmap_ipv4(ends_.peer));
}

connection::~connection() {
  server_.stop_counting(number_);
  server_.present.erase(number_);
  if (server_.present.empty() && server_.on_last_closed)
    std::exchange(server_.on_last_closed, nullptr)();
}

void connection::start_serving() {
  read_request();
}

void connection::reject_over_limit() {
  start_leaving();
  send_error_and_close(503, "too many connections, try again later");
}

void connection::close_to_make_room() {
  if (phase_ != phase::reading)
    return close();
  start_leaving();
  boost::system::error_code ignored;
  socket_.tcp_socket().cancel(ignored); // Goes on in send_read_error_or_close.
}

void connection::start_leaving() {
  if (std::exchange(is_leaving_, true))
    return;
  held_ = 0;
  server_.shares.set_bytes(number_, 0);
  server_.shares.set_use(number_, client_shares::use::leaving);
  server_.leaving.push_back(number_);
  server_.close_oldest_leaving_if_too_many();
}

void connection::close() {
  if (phase_ == phase::closed)
    return;
  bool early = phase_ == phase::answering || phase_ == phase::streaming
               || phase_ == phase::replying;
  phase_ = phase::closed;
  server_.stop_counting(number_);
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
  if (phase_ == phase::idle || phase_ == phase::greeting)
    close();
}

// -- the handler -------------------------------------------------------------

void connection::call_handler_and_watch_for_disconnect() {
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

client_shares::use connection::use_in(phase p) const {
  switch (p) {
  case phase::streaming:
    return is_answer_held_ ? client_shares::use::replying
                           : client_shares::use::busy;
  case phase::idle:
    return client_shares::use::idle;
  case phase::greeting:
  case phase::reading:
  case phase::deciding:
    return client_shares::use::reading;
  case phase::replying:
    return client_shares::use::replying;
  case phase::lingering:
  case phase::closed:
    return client_shares::use::leaving;
  default:
    return client_shares::use::busy;
  }
}

void connection::enter_phase_with_deadline(phase p, std::chrono::seconds s) {
  if (phase_ == phase::closed)
    return;
  phase_ = p;
  if (!is_leaving_)
    server_.shares.set_use(number_, use_in(p));
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
  socket_.tcp_socket().cancel(ignored); // Goes on in send_read_error_or_close.
}

} // namespace troupe::k8s::http
