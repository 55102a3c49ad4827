#include "k8s/http/connection.hpp"

#include <boost/asio/write.hpp>
#include <boost/beast/http/read.hpp>

#include <algorithm>
#include <limits>

// The half of a connection that reads.

namespace troupe::k8s::http {

namespace asio = boost::asio;
namespace bhttp = boost::beast::http;

namespace {

/// What a server keeps of one connection for TLS while bytes come or go; while
/// it waits, a third of that.
constexpr std::size_t tls_state_bytes = 48u << 10;

/// Room for a short request, which each connection has while it waits.
constexpr std::size_t first_bytes = 2u << 10;

/// Of a request, and of an answer, that are not counted.
constexpr std::size_t free_request_bytes = 16u << 10;
constexpr std::size_t free_answer_bytes = free_request_bytes;

} // namespace

void connection::read_request() {
  ++turn_;
  parser_.emplace();
  parser_->header_limit(static_cast<std::uint32_t>(server_.limit.header_bytes));
  // read_skip_or_refuse_body() knows it.
  parser_->body_limit(std::numeric_limits<std::uint64_t>::max());
  if (buffer_.size() > 0)
    return read_head();
  if (buffer_.capacity() > first_bytes)
    buffer_.shrink_to_fit();
  release_bytes_except_tls();
  enter_phase_with_deadline(phase::idle, turn_ == 1 ? server_.limit.request_time
                                                    : server_.limit.idle_time);
  read_first_bytes();
}

void connection::read_first_bytes() {
  socket_.async_read_some(buffer_.prepare(first_bytes),
                          [self = shared_from_this()](error e, size_t n) {
                            if (e || self->phase_ == phase::closed)
                              return self->close();
                            self->buffer_.commit(n);
                            self->should_start_tls() ? self->start_tls()
                                                     : self->read_head();
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
  if (!make_room_and_hold_bytes(tls_state_bytes))
    return close();
  enter_phase_with_deadline(phase::greeting, server_.limit.request_time);
  std::string received{static_cast<const char*>(buffer_.data().data()),
                       buffer_.size()};
  buffer_.consume(buffer_.size());
  socket_.async_handshake(*server_.tls, std::move(received),
                          [self = shared_from_this()](error e, size_t) {
                            if (e || self->phase_ == phase::closed)
                              return self->close();
                            self->ends_.secure = true;
                            self->enter_phase_with_deadline(
                                phase::idle, self->server_.limit.request_time);
                            self->read_first_bytes();
                          });
}

void connection::read_head() {
  enter_phase_with_deadline(phase::reading, server_.limit.request_time);
  parse_head_or_read_more();
}

void connection::parse_head_or_read_more() {
  boost::system::error_code e;
  buffer_.consume(parser_->put(buffer_.data(), e));
  if (e && e != bhttp::error::need_more)
    return send_read_error_or_close(e);
  if (!hold_request_bytes_or_send_error())
    return;
  if (parser_->is_header_done()) {
    if (authorize_request_or_send_error())
      ask_for_admission_or_read_body();
    return;
  }
  auto more =
      std::min(std::max<std::size_t>(4096, buffer_.capacity() - buffer_.size()),
               buffer_.max_size() - buffer_.size());
  if (more == 0)
    return send_read_error_or_close(bhttp::error::header_limit);
  socket_.async_read_some(buffer_.prepare(more),
                          [self = shared_from_this()](error f, size_t n) {
                            if (f || !self->is_reading())
                              return self->send_read_error_or_close(f);
                            self->buffer_.commit(n);
                            self->parse_head_or_read_more();
                          });
}

void connection::ask_for_admission_or_read_body() {
  // Of a client's requests the latest counts.
  if (const auto& favours = server_.access.favours; favours) {
    auto client = unmap_ipv4(ends_.peer);
    favours(request_) ? server_.shares.favour(client)
                      : server_.shares.favour_no_more(client);
  }
  if (!server_.access.admit)
    return read_skip_or_refuse_body();
  enter_phase_with_deadline(phase::deciding, server_.limit.request_time);
  self_while_answering_ = shared_from_this();
  server_.access.admit(
      request_, [executor = server_.executor, weak = weak_from_this(),
                 turn = turn_](std::optional<response> refusal) {
        executor->dispatch([weak, turn, refusal = std::move(refusal)]() {
          if (auto self = weak.lock())
            self->on_admission(turn, refusal);
        });
      });
}

void connection::on_admission(std::uint64_t turn,
                              const std::optional<response>& refusal) {
  if (!is_current_turn_in_phase(turn, phase::deciding))
    return;
  auto self = std::exchange(self_while_answering_, nullptr);
  if (refusal)
    return send_error_and_close(*refusal);
  enter_phase_with_deadline(phase::reading, server_.limit.request_time);
  read_skip_or_refuse_body();
}

void connection::read_skip_or_refuse_body() {
  if (parser_->is_done())
    return call_handler_and_watch_for_disconnect();
  bool gets = request_.method == "GET" || request_.method == "HEAD";
  body_limit_ = server_.access.body_limit ? server_.access.body_limit(request_)
                : gets                    ? 0
                                          : server_.limit.body_bytes;
  if (body_limit_ == 0) {
    skip_body_or_end_keep_alive();
    return call_handler_and_watch_for_disconnect();
  }
  if (auto length = parser_->content_length(); length && *length > body_limit_)
    return send_body_too_large();
  parser_->eager(true);
  if (!bhttp::token_list{parser_->get()[bhttp::field::expect]}.exists(
          "100-continue"))
    return read_body_then_call_handler();
  static constexpr char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
  asio::async_write(socket_, asio::buffer(go_on, sizeof go_on - 1),
                    [self = shared_from_this()](error e, size_t) {
                      e ? self->close() : self->read_body_then_call_handler();
                    });
}

/// A body that is here already is dropped; else the connection ends after the
/// answer, since the next request is behind what nobody reads.
void connection::skip_body_or_end_keep_alive() {
  auto length = parser_->content_length();
  if (length && *length <= buffer_.size())
    buffer_.consume(static_cast<std::size_t>(*length));
  else
    keep_alive_ = false;
}

void connection::read_body_then_call_handler() {
  if (!is_reading())
    return send_read_error_or_close({});
  bhttp::async_read_some(
      socket_, buffer_, *parser_, [self = shared_from_this()](error e, size_t) {
        if (e || !self->is_reading())
          return self->send_read_error_or_close(e);
        if (self->parser_->get().body().size() > self->body_limit_)
          return self->send_body_too_large();
        if (!self->hold_request_bytes_or_send_error())
          return;
        self->parser_->is_done() ? self->call_handler_and_watch_for_disconnect()
                                 : self->read_body_then_call_handler();
      });
}

void connection::send_body_too_large() {
  send_error_and_close(413, "the body is larger than "
                                + std::to_string(body_limit_) + " bytes");
}

void connection::send_read_error_or_close(error e) {
  if (phase_ != phase::reading)
    return close();
  if (is_leaving_)
    return send_error_and_close(
        503, "others need the room that this unfinished request takes, try "
             "again later");
  if (timed_out_)
    return send_error_and_close(408, "the request did not arrive in time");
  if (e == bhttp::error::header_limit)
    return send_error_and_close(
        431, "the headers are larger than "
                 + std::to_string(server_.limit.header_bytes) + " bytes");
  if (e == bhttp::error::end_of_stream || e == bhttp::error::partial_message
      || e.category() != bhttp::make_error_code(bhttp::error{}).category())
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
  auto no = refuse_access_or_set_user(server_.access, ends_, request_,
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
  head_only_ = m.method() == bhttp::verb::head;
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

// -- what a request and its answer take ---------------------------------------

bool connection::hold_request_bytes_or_send_error() {
  const auto& body = parser_->get().body();
  // Of a known length there is room for all of it, which costs nothing before
  // it is used.
  auto taken = buffer_.capacity()
               + (parser_->content_length() ? body.size() : body.capacity());
  auto counted = taken > free_request_bytes ? taken - free_request_bytes : 0;
  if (make_room_and_hold_bytes(counted + tls_bytes()))
    return true;
  send_error_and_close(503, no_room_message);
  return false;
}

bool connection::make_room_and_hold_bytes(std::size_t bytes) {
  if (bytes == held_)
    return true;
  for (;;) {
    auto room = server_.shares.room_for_bytes(number_, bytes);
    if (room.there)
      break;
    if (!room.close_first)
      return false;
    server_.present.at(*room.close_first)->close_to_make_room();
  }
  held_ = bytes;
  server_.shares.set_bytes(number_, bytes);
  return true;
}

bool connection::hold_message_bytes(std::size_t bytes) {
  auto counted = bytes > free_request_bytes ? bytes - free_request_bytes : 0;
  server_.shares.set_use(number_, counted > 0 ? client_shares::use::reading
                                              : client_shares::use::busy);
  return make_room_and_hold_bytes(counted + tls_bytes());
}

std::size_t connection::tls_bytes() const {
  return socket_.is_secure() ? tls_state_bytes : 0;
}

void connection::release_bytes_except_tls() {
  is_answer_held_ = false;
  if (!is_leaving_)
    make_room_and_hold_bytes(tls_bytes());
}

// However long it is, a client may have one answer: others of its own make room
// for it, if they can.
bool connection::hold_answer_bytes(std::size_t unsent) {
  if (is_leaving_)
    return true;
  auto counted = unsent > free_answer_bytes ? unsent - free_answer_bytes : 0;
  counted = std::min(counted, server_.limit.request_bytes_per_client / 2);
  if (!make_room_and_hold_bytes(counted + tls_bytes()))
    return false;
  is_answer_held_ = counted > 0;
  server_.shares.set_use(number_, use_in(phase_));
  return true;
}

} // namespace troupe::k8s::http
