#include "k8s/http/websocket_session.hpp"

#include "k8s/http/connection.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace troupe::k8s::http {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

/// For the client to answer our close frame.
constexpr auto farewell_time = 2s;
/// While nothing is read, the client's end shows in the socket only.
constexpr auto watch_period = 100ms;
constexpr int rounds_between_pongs = 50;

} // namespace

websocket_session::websocket_session(
    std::shared_ptr<connection> owner, maybe_tls_socket& socket,
    const limits& limit, message_stream_events events,
    std::shared_ptr<std::atomic<std::size_t>> unsent)
    : owner_(std::move(owner))
    , socket_(socket)
    , limit_(limit)
    , events_(std::move(events))
    , timer_(socket.get_executor())
    , reader_(limit.body_bytes)
    , unsent_(std::move(unsent)) {}

void websocket_session::begin(std::string head, std::string_view early) {
  // A client whose machine vanishes is noticed some time.
  boost::system::error_code ignored;
  socket_.tcp_socket().set_option(asio::socket_base::keep_alive(true), ignored);
  waiting_ = std::move(head);
  flush();
  reader_.add(early);
  handle_bytes();
}

// -- reading ------------------------------------------------------------------

void websocket_session::receive() {
  is_wanted_ = true;
  handle_bytes();
}

void websocket_session::read() {
  if (!owner_ || is_over_ || std::exchange(is_reading_, true))
    return;
  socket_.async_read_some(
      asio::buffer(block_),
      [self = shared_from_this(), keep = owner_](error e, size_t n) {
        self->is_reading_ = false;
        if (e || !self->owner_)
          return keep->close();
        self->reader_.add({self->block_.data(), n});
        self->handle_bytes();
      });
}

// The receiver may ask for the next message from inside the call.
void websocket_session::handle_bytes() {
  if (!owner_ || std::exchange(is_handling_, true))
    return;
  auto self = shared_from_this();
  while (owner_ && !is_over_) {
    if (!message_) {
      auto m = reader_.next();
      if (!m)
        break;
      handle(std::move(*m));
    } else if (is_wanted_ && events_.on_message) {
      is_wanted_ = false;
      auto m = std::move(*message_);
      message_.reset();
      auto on_message = events_.on_message; // It may end us.
      on_message(std::move(m));
    } else {
      break;
    }
  }
  is_handling_ = false;
  if (auto wrong = reader_.error(); wrong && !is_over_) {
    is_over_ = true; // What follows cannot be understood.
    return close(*wrong);
  }
  message_ ? watch_client() : read();
}

void websocket_session::handle(websocket_message m) {
  switch (m.kind) {
  case websocket_opcode::ping:
    if (is_closing_)
      return;
    waiting_ += format_frame_head(websocket_opcode::pong, m.payload.size());
    waiting_ += m.payload;
    if (waiting_.size() > limit_.stream_backlog)
      return owner_->close();
    return flush();
  case websocket_opcode::pong:
    return;
  case websocket_opcode::close:
    is_over_ = true;
    close(websocket_close::normal);
    end_connection();
    return run_after(farewell_time, [this] { owner_->close(); });
  default:
    if (!is_closing_) // Else nobody listens any more.
      message_ = std::move(m.payload);
  }
}

// Nothing is read while the receiver is busy. A client that waits for an answer
// to its pings must not give up meanwhile; and to a closed socket, the pong
// is what makes its kernel say so.
void websocket_session::watch_client() {
  if (!owner_ || is_closing_ || std::exchange(is_watching_, true))
    return;
  run_after(watch_period, [this] {
    is_watching_ = false;
    if (!message_ || is_closing_)
      return;
    if (has_client_left())
      return owner_->close();
    if (++quiet_rounds_ >= rounds_between_pongs && waiting_.empty()) {
      quiet_rounds_ = 0;
      waiting_ += format_frame_head(websocket_opcode::pong, 0);
      flush();
    }
    watch_client();
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
  if (waiting_.size() + written_.size() + message.size()
      > limit_.stream_backlog)
    return owner_->close();
  waiting_ += format_frame_head(websocket_opcode::binary, message.size());
  waiting_ += message;
  waiting_payload_ += message.size();
  flush();
}

void websocket_session::close(websocket_close why) {
  if (!owner_ || std::exchange(is_closing_, true))
    return;
  timer_.cancel();
  message_.reset();
  waiting_ += format_close_frame(why);
  flush();
  handle_bytes();
}

void websocket_session::flush() {
  if (!written_.empty() || waiting_.empty() || !owner_)
    return;
  written_.swap(waiting_);
  auto payload = std::exchange(waiting_payload_, 0);
  asio::async_write(
      socket_, asio::buffer(written_),
      [self = shared_from_this(), keep = owner_, payload](error e, size_t) {
        if (e || !self->owner_)
          return keep->close();
        self->after_written(payload);
      });
}

void websocket_session::after_written(std::size_t payload_bytes) {
  written_.clear();
  *unsent_ -= payload_bytes;
  if (!waiting_.empty())
    return flush();
  if (is_closing_) {
    if (is_over_)
      return end_connection();
    run_after(farewell_time, [this] { end_connection(); });
  } else if (auto drained = events_.on_drained) {
    drained();
  }
}

// -- the end ------------------------------------------------------------------

void websocket_session::end_connection() {
  if (owner_ && waiting_.empty() && written_.empty())
    std::exchange(owner_, nullptr)->end_websocket();
}

void websocket_session::after_connection_closed() {
  auto last = std::exchange(owner_, nullptr);
  timer_.cancel();
  // Not inside a caller's `send`, nor inside one of them.
  asio::post(socket_.get_executor(), [events = std::move(events_)] {
    if (events.on_end)
      events.on_end();
  });
  events_ = {};
}

template <class F>
void websocket_session::run_after(std::chrono::milliseconds wait, F f) {
  timer_.expires_after(wait);
  timer_.async_wait([self = shared_from_this(), keep = owner_, f](error e) {
    if (!e && self->owner_)
      f();
  });
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
        here->close(websocket_close::normal);
    });
  }
  void send(std::string message) override {
    *unsent_ += message.size();
    run([m = std::move(message)](websocket_session& s) mutable {
      s.send(std::move(m));
    });
  }
  void receive() override {
    run([](websocket_session& s) { s.receive(); });
  }
  void close() override {
    run([](websocket_session& s) { s.close(websocket_close::normal); });
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
  void run(F f) {
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
