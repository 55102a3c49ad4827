#include "k8s/http/websocket_session.hpp"

#include "k8s/http/connection.hpp"

#include <boost/asio/post.hpp>
#include <boost/beast/core/buffers_to_string.hpp>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace troupe::k8s::http {

namespace asio = boost::asio;
namespace websocket = boost::beast::websocket;
using namespace std::chrono_literals;

namespace {

/// For the client to take our answer, and to answer our close frame.
constexpr auto handshake_time = 5s;
/// While nothing is read, the client's end shows in the socket only.
constexpr auto watch_period = 100ms;
constexpr int rounds_between_pongs = 50;
/// Of a message, until what it takes is counted again.
constexpr std::size_t most_bytes_at_once = 64u << 10;

} // namespace

websocket_session::websocket_session(
    std::shared_ptr<connection> owner, maybe_tls_socket& socket,
    const limits& limit, message_stream_events events,
    std::shared_ptr<std::atomic<std::size_t>> unsent)
    : owner_(std::move(owner))
    , socket_(socket)
    , stream_(socket)
    , limit_(limit)
    , events_(std::move(events))
    , timer_(socket.get_executor())
    , unsent_(std::move(unsent)) {}

/// A handler of an operation: a failure ends the connection, and what comes
/// after the end is nothing to `f`.
template <class... Results, class F>
auto websocket_session::handler_while_open(F f) {
  return [self = shared_from_this(), keep = owner_, f](error e, Results... r) {
    if (!self->owner_)
      return;
    if (e)
      return self->close_connection();
    f(r...);
  };
}

void websocket_session::accept_handshake(const handshake& request,
                                         const std::string& subprotocol) {
  // A client whose machine vanishes is noticed some time.
  boost::system::error_code ignored;
  socket_.tcp_socket().set_option(asio::socket_base::keep_alive(true), ignored);
  stream_.set_option(websocket::stream_base::timeout{
      handshake_time, websocket::stream_base::none(), false});
  stream_.set_option(websocket::stream_base::decorator(
      [subprotocol](websocket::response_type& answer) {
        namespace field = boost::beast::http;
        answer.set(field::field::server, "troupe");
        if (!subprotocol.empty())
          answer.set(field::field::sec_websocket_protocol, subprotocol);
      }));
  stream_.read_message_max(limit_.body_bytes);
  stream_.binary(true);
  stream_.auto_fragment(false);
  stream_.async_accept(request, handler_while_open([this] {
                         is_accepted_ = true;
                         read_message();
                         write_next_message();
                       }));
}

// -- reading ------------------------------------------------------------------

void websocket_session::request_message() {
  if (!owner_)
    return;
  is_wanted_ = true;
  if (std::exchange(delivered_bytes_, 0) > 0)
    hold_all_message_bytes(); // Less than before.
  deliver_requested_message_or_read_on();
}

void websocket_session::read_message() {
  if (!owner_ || !is_accepted_ || message_ || std::exchange(is_reading_, true))
    return;
  read_more_of_message();
}

void websocket_session::read_more_of_message() {
  stream_.async_read_some(incoming_, most_bytes_at_once,
                          handler_while_open<std::size_t>([this](std::size_t) {
                            // Nobody listens to what comes behind our own end.
                            if (is_closing_)
                              incoming_.consume(incoming_.size());
                            if (!hold_all_message_bytes())
                              return refuse_message_and_close();
                            stream_.is_message_done()
                                ? keep_message_then_deliver_or_read()
                                : read_more_of_message();
                          }));
}

void websocket_session::keep_message_then_deliver_or_read() {
  is_reading_ = false;
  if (!is_closing_)
    message_ = boost::beast::buffers_to_string(incoming_.data());
  incoming_.consume(incoming_.size());
  incoming_.shrink_to_fit();
  hold_all_message_bytes();
  deliver_requested_message_or_read_on();
}

bool websocket_session::hold_all_message_bytes() {
  return owner_->hold_message_bytes(incoming_.capacity() + delivered_bytes_
                                    + waiting_bytes_
                                    + (message_ ? message_->size() : 0));
}

void websocket_session::refuse_message_and_close() {
  is_closing_ = true;
  timer_.cancel();
  incoming_.consume(incoming_.size());
  incoming_.shrink_to_fit();
  hold_all_message_bytes();
  if (std::exchange(is_writing_, true))
    return close_connection(); // Who knows when the client takes that.
  stream_.async_close({websocket::close_code::try_again_later,
                       "the requests that are being read take all the memory "
                       "that they may, try again later"},
                      handler_while_open([this] { close_connection(); }));
}

// The receiver may ask for the next message from inside the call.
void websocket_session::deliver_requested_message_or_read_on() {
  if (!owner_ || std::exchange(is_delivering_, true))
    return;
  auto self = shared_from_this();
  if (message_ && is_wanted_ && events_.on_message) {
    is_wanted_ = false;
    delivered_bytes_ = message_->size();
    auto on_message = events_.on_message; // It may end us.
    on_message(*std::exchange(message_, std::nullopt));
  }
  is_delivering_ = false;
  message_ ? check_client_and_send_pongs() : read_message();
}

// Nothing is read while the receiver is busy. A client that waits for an answer
// to its pings must not give up meanwhile; and to a closed socket, the pong
// is what makes its kernel say so.
void websocket_session::check_client_and_send_pongs() {
  timer_.expires_after(watch_period);
  timer_.async_wait([this, self = shared_from_this(), keep = owner_](error e) {
    if (e || !owner_ || !message_ || is_closing_)
      return;
    if (has_client_left())
      return keep->close();
    if (++quiet_rounds_ < rounds_between_pongs)
      return check_client_and_send_pongs();
    quiet_rounds_ = 0;
    stream_.async_pong(
        {}, handler_while_open([this] { check_client_and_send_pongs(); }));
  });
}

bool websocket_session::has_client_left() const {
  tcp_info info{};
  socklen_t size = sizeof info;
  return ::getsockopt(socket_.tcp_socket().native_handle(), IPPROTO_TCP,
                      TCP_INFO, &info, &size)
             != 0
         || info.tcpi_state != TCP_ESTABLISHED;
}

// -- writing ------------------------------------------------------------------

void websocket_session::send(std::string message) {
  if (!owner_ || is_closing_)
    return;
  waiting_bytes_ += message.size();
  if (waiting_bytes_ > limit_.stream_backlog || !hold_all_message_bytes())
    return owner_->close();
  waiting_.push_back(std::move(message));
  write_next_message();
}

void websocket_session::write_next_message() {
  if (!owner_ || !is_accepted_ || is_writing_)
    return;
  if (waiting_.empty())
    return is_closing_ ? send_close_frame() : void();
  is_writing_ = true;
  stream_.async_write(asio::buffer(waiting_.front()),
                      handler_while_open<std::size_t>([this](auto) {
                        is_writing_ = false;
                        waiting_bytes_ -= waiting_.front().size();
                        *unsent_ -= waiting_.front().size();
                        waiting_.pop_front();
                        hold_all_message_bytes();
                        auto drained = events_.on_drained;
                        if (waiting_.empty() && !is_closing_ && drained)
                          drained();
                        write_next_message();
                      }));
}

// -- the end ------------------------------------------------------------------

void websocket_session::close() {
  if (!owner_ || std::exchange(is_closing_, true))
    return;
  timer_.cancel();
  message_.reset();
  read_message(); // The client's close frame.
  write_next_message();
}

void websocket_session::send_close_frame() {
  is_writing_ = true;
  stream_.async_close(websocket::close_code::normal,
                      handler_while_open([this] { close_connection(); }));
}

void websocket_session::close_connection() {
  if (auto owner = std::exchange(owner_, nullptr))
    owner->close_after_websocket();
}

void websocket_session::on_connection_closed() {
  auto last = std::exchange(owner_, nullptr);
  timer_.cancel();
  // Not inside a caller's `send`, nor inside one of them.
  asio::post(socket_.get_executor(), [events = std::move(events_)] {
    if (events.on_end)
      events.on_end();
  });
  events_ = {};
}

// -- what the handler has -----------------------------------------------------

namespace {

class websocket_message_stream : public message_stream {
public:
  websocket_message_stream(std::shared_ptr<server_executor> executor,
                           std::weak_ptr<websocket_session> session,
                           std::shared_ptr<std::atomic<std::size_t>> unsent)
      : executor_(std::move(executor))
      , session_(std::move(session))
      , unsent_(std::move(unsent)) {}
  ~websocket_message_stream() override {
    // After all that was sent on any thread.
    executor_->post([s = session_] {
      if (auto here = s.lock())
        here->close();
    });
  }
  void send(std::string message) override {
    *unsent_ += message.size();
    run_on_session([m = std::move(message)](websocket_session& s) mutable {
      s.send(std::move(m));
    });
  }
  void request_message() override {
    run_on_session([](websocket_session& s) { s.request_message(); });
  }
  void close() override {
    run_on_session([](websocket_session& s) { s.close(); });
  }
  std::size_t backlog() const override { return *unsent_; }
  void post(std::function<void()> task) override {
    executor_->post([s = session_, task = std::move(task)] {
      auto here = s.lock();
      if (here && here->is_open())
        task();
    });
  }

private:
  // The weak pointer is locked on the server's thread only.
  template <class F>
  void run_on_session(F f) {
    executor_->dispatch([s = session_, f = std::move(f)]() mutable {
      if (auto here = s.lock())
        f(*here);
    });
  }

  std::shared_ptr<server_executor> executor_;
  std::weak_ptr<websocket_session> session_;
  std::shared_ptr<std::atomic<std::size_t>> unsent_;
};

} // namespace

message_stream_ptr
make_message_stream(std::shared_ptr<server_executor> executor,
                    std::weak_ptr<websocket_session> session,
                    std::shared_ptr<std::atomic<std::size_t>> unsent) {
  return std::make_shared<websocket_message_stream>(
      std::move(executor), std::move(session), std::move(unsent));
}

} // namespace troupe::k8s::http
