#include "k8s/http/connection.hpp"
#include "k8s/http/websocket_session.hpp"

#include <boost/asio/write.hpp>

#include <algorithm>
#include <array>

// The half of a connection that writes.

namespace troupe::k8s::http {

namespace asio = boost::asio;

namespace {

// A client that was refused in mid-sentence may still be sending; closing at
// once would make its kernel throw our answer away.
constexpr auto closing_time = std::chrono::seconds{2};
constexpr std::size_t closing_bytes = 64u << 20;

/// So many connections at a time may be closing so.
constexpr std::size_t most_leaving = 128;

std::string chunk_size_line(std::size_t n) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out;
  do
    out.insert(out.begin(), digits[n % 16]);
  while (n /= 16);
  return out + "\r\n";
}

} // namespace

void server_context::stop_counting(client_shares::number connection) {
  shares.remove(connection);
  leaving.erase(std::remove(leaving.begin(), leaving.end(), connection),
                leaving.end());
}

void server_context::close_oldest_leaving_if_too_many() {
  if (leaving.size() > most_leaving)
    present.at(leaving.front())->close();
}

void connection::send_error_and_close(int status, std::string why) {
  response r;
  r.status = status;
  r.content_type = "text/plain; charset=utf-8";
  r.body = std::move(why) + "\n";
  if (status == 503)
    r.headers["Retry-After"] = "1";
  send_error_and_close(std::move(r));
}

void connection::send_error_and_close(response r) {
  keep_alive_ = false;
  parser_.reset();
  request_ = {};
  auto head = format_response_head(r, framing::length, false);
  send_then_read_next_or_close(std::move(head),
                               head_only_ ? std::string{} : std::move(r.body));
}

void connection::reply(std::uint64_t turn, response r) {
  if (!is_current_turn_in_phase(turn, phase::answering))
    return;
  if (auto last = r.headers.find("Connection");
      last != r.headers.end() && last->second == "close") {
    r.headers.erase(last);
    keep_alive_ = false;
  }
  auto head = format_response_head(r, framing::length, keep_alive_);
  bool bodiless = head_only_ || r.status == 204 || r.status == 304;
  std::string body = bodiless ? std::string{} : std::move(r.body);
  if (!hold_answer_bytes(body.capacity()))
    return send_error_and_close(503, no_room_message);
  send_then_read_next_or_close(std::move(head), std::move(body));
}

void connection::send_then_read_next_or_close(std::string head,
                                              std::string body) {
  hold_answer_bytes(body.capacity());
  enter_phase_with_deadline(phase::replying, server_.limit.write_time);
  out_head_ = std::move(head);
  out_body_ = std::move(body);
  std::array<asio::const_buffer, 2> all{asio::buffer(out_head_),
                                        asio::buffer(out_body_)};
  asio::async_write(socket_, all, [self = shared_from_this()](error e, size_t) {
    e ? self->close() : self->read_next_or_close();
  });
  self_while_answering_.reset(); // The write holds us now.
}

void connection::start(std::uint64_t turn, response head) {
  if (!is_current_turn_in_phase(turn, phase::answering))
    return;
  if (!chunked_)
    keep_alive_ = false;
  release_bytes_except_tls();
  enter_phase_with_deadline(phase::streaming, std::chrono::seconds::max());
  auto how = chunked_ ? framing::chunked : framing::until_close;
  out_head_ = format_response_head(head, how, keep_alive_);
  waiting_ = std::move(head.body);
  *unsent_ += waiting_.size();
  out_body_.clear();
  finished_ = head_only_;
  if (head_only_)
    return send_then_read_next_or_close(std::move(out_head_), {});
  if (!hold_stream_bytes())
    return close();
  write_pending_output();
}

void connection::write(std::uint64_t turn, std::string piece) {
  if (!is_current_turn_in_phase(turn, phase::streaming) || finished_
      || piece.empty())
    return;
  if (waiting_.size() + out_body_.size() + piece.size()
      > server_.limit.stream_backlog)
    return close();
  if (waiting_.empty())
    waiting_ = std::move(piece);
  else
    waiting_ += piece;
  if (!hold_stream_bytes())
    return close();
  write_pending_output();
}

bool connection::hold_stream_bytes() {
  return hold_answer_bytes(out_body_.capacity() + waiting_.capacity());
}

void connection::finish(std::uint64_t turn) {
  if (!is_current_turn_in_phase(turn, phase::streaming) || finished_)
    return;
  finished_ = true;
  write_pending_output();
}

// Everything that waits goes out as one chunk, so a burst of small pieces is
// one system call.
void connection::write_pending_output() {
  if (writing_)
    return;
  out_body_.clear();
  out_body_.swap(waiting_);
  out_tail_.clear();
  if (chunked_ && !out_body_.empty()) {
    out_head_ += chunk_size_line(out_body_.size());
    out_tail_ = "\r\n";
  }
  if (finished_) {
    if (chunked_)
      out_tail_ += "0\r\n\r\n";
    enter_phase_with_deadline(phase::replying, server_.limit.write_time);
  } else if (out_head_.empty() && out_body_.empty()) {
    enter_phase_with_deadline(phase::streaming, std::chrono::seconds::max());
    if (auto drained = on_drained_) // It may write, or end this.
      drained();
    return;
  } else {
    enter_phase_with_deadline(phase::streaming, server_.limit.write_time);
  }
  writing_ = true;
  std::array<asio::const_buffer, 3> all{asio::buffer(out_head_),
                                        asio::buffer(out_body_),
                                        asio::buffer(out_tail_)};
  asio::async_write(socket_, all, [self = shared_from_this()](error e, size_t) {
    self->writing_ = false;
    self->out_head_.clear();
    *self->unsent_ -= self->out_body_.size();
    self->out_body_ = {};
    self->hold_stream_bytes(); // Less than before.
    if (e || self->phase_ == phase::closed)
      return self->close();
    self->phase_ == phase::replying ? self->read_next_or_close()
                                    : self->write_pending_output();
  });
}

void connection::on_disconnect(std::uint64_t turn, std::function<void()> gone) {
  if (is_current_turn_in_phase(turn, phase::answering)
      || is_current_turn_in_phase(turn, phase::streaming))
    on_disconnect_ = std::move(gone);
  else if (turn == turn_ && phase_ == phase::closed && gone)
    gone();
}

void connection::on_drained(std::uint64_t turn, std::function<void()> drained) {
  if (is_current_turn_in_phase(turn, phase::streaming))
    on_drained_ = std::move(drained);
}

void connection::on_writer_dropped(std::uint64_t turn) {
  if (is_current_turn_in_phase(turn, phase::answering))
    send_error_and_close(500, "the request was dropped without an answer");
  else if (is_current_turn_in_phase(turn, phase::streaming) && !finished_)
    close();
}

message_stream_ptr connection::accept_websocket(std::uint64_t turn,
                                                const std::string& subprotocol,
                                                message_stream_events events) {
  // A client has nothing to say before it has the answer.
  if (!is_current_turn_in_phase(turn, phase::answering)
      || !is_websocket_request_ || buffer_.size() > 0)
    return nullptr;
  enter_phase_with_deadline(phase::websocket, std::chrono::seconds::max());
  on_disconnect_ = nullptr;
  websocket_ = std::make_shared<websocket_session>(
      shared_from_this(), socket_, server_.limit, std::move(events), unsent_);
  release_bytes_except_tls();
  websocket_->accept_handshake(parser_->get(), subprotocol);
  return make_message_stream(server_.executor, websocket_, unsent_);
}

void connection::close_after_websocket() {
  if (auto w = std::exchange(websocket_, nullptr))
    w->on_connection_closed();
  close_gracefully();
  self_while_answering_.reset(); // The read holds us now.
}

void connection::read_next_or_close() {
  on_disconnect_ = nullptr;
  on_drained_ = nullptr;
  self_while_answering_.reset();
  if (phase_ == phase::closed)
    return;
  if (!keep_alive_)
    return close_gracefully();
  out_head_.clear();
  out_body_ = {};
  waiting_ = {};
  finished_ = false;
  release_bytes_except_tls();
  read_request();
}

void connection::close_gracefully() {
  start_leaving();
  enter_phase_with_deadline(phase::lingering, closing_time);
  boost::system::error_code ignored;
  socket_.tcp_socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  buffer_.clear();
  buffer_.shrink_to_fit();
  out_body_ = {};
  waiting_ = {};
  discard_input_until_closed();
}

// What comes under TLS is thrown away as it is.
void connection::discard_input_until_closed() {
  socket_.tcp_socket().async_read_some(
      asio::buffer(server_.thrown_away),
      [self = shared_from_this()](error e, size_t n) {
        self->drained_ += n;
        if (e || self->drained_ > closing_bytes)
          return self->close();
        self->discard_input_until_closed();
      });
}

} // namespace troupe::k8s::http
