#include "k8s/http/websocket_frames.hpp"

#include <array>

namespace troupe::k8s::http {

namespace {

constexpr std::size_t most_control_bytes = 125;

bool is_control(websocket_opcode o) {
  return o >= websocket_opcode::close;
}

bool is_known(std::uint8_t opcode) {
  return opcode <= 2 || (opcode >= 8 && opcode <= 10);
}

std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t out = 0;
  for (char c : bytes)
    out = out << 8 | static_cast<unsigned char>(c);
  return out;
}

} // namespace

struct websocket_reader::frame_head {
  websocket_opcode kind;
  bool is_final;
  bool is_malformed;
  std::uint64_t payload_bytes;
  std::array<char, 4> mask;
  std::size_t head_bytes;
};

void websocket_reader::add(std::string_view bytes) {
  if (error_)
    return;
  bytes_.erase(0, read_);
  read_ = 0;
  bytes_ += bytes;
}

std::optional<websocket_reader::frame_head> websocket_reader::read_head() {
  auto left = std::string_view{bytes_}.substr(read_);
  if (left.size() < 2)
    return std::nullopt;
  auto first = static_cast<std::uint8_t>(left[0]);
  auto second = static_cast<std::uint8_t>(left[1]);
  frame_head h{};
  h.kind = static_cast<websocket_opcode>(first & 15);
  h.is_final = (first & 0x80) != 0;
  // Extensions were not negotiated, and clients have to mask.
  h.is_malformed =
      (first & 0x70) != 0 || !is_known(first & 15) || (second & 0x80) == 0;
  std::size_t length_bytes = 0;
  h.payload_bytes = second & 0x7f;
  if (h.payload_bytes >= 126)
    length_bytes = h.payload_bytes == 126 ? 2 : 8;
  h.head_bytes = 2 + length_bytes + h.mask.size();
  if (h.is_malformed)
    return h;
  if (left.size() < h.head_bytes)
    return std::nullopt;
  if (length_bytes > 0)
    h.payload_bytes = big_endian(left.substr(2, length_bytes));
  left.copy(h.mask.data(), h.mask.size(), 2 + length_bytes);
  return h;
}

bool websocket_reader::is_acceptable(const frame_head& h) {
  bool continues = h.kind == websocket_opcode::continuation;
  if (h.is_malformed
      || (is_control(h.kind)
          && (!h.is_final || h.payload_bytes > most_control_bytes))
      || (!is_control(h.kind) && continues != unfinished_.has_value()))
    error_ = websocket_close::protocol_error;
  else if (!is_control(h.kind)
           && h.payload_bytes
                  > most_ - (unfinished_ ? unfinished_->payload.size() : 0))
    error_ = websocket_close::message_too_big;
  return !error_;
}

std::string websocket_reader::take_payload(const frame_head& h) {
  auto out =
      bytes_.substr(read_ + h.head_bytes, static_cast<size_t>(h.payload_bytes));
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<char>(out[i] ^ h.mask[i % 4]);
  read_ += h.head_bytes + out.size();
  return out;
}

std::optional<websocket_message> websocket_reader::next() {
  while (!error_) {
    auto h = read_head();
    if (!h || !is_acceptable(*h)
        || bytes_.size() - read_ < h->head_bytes + h->payload_bytes)
      return std::nullopt;
    auto payload = take_payload(*h);
    if (is_control(h->kind))
      return websocket_message{h->kind, std::move(payload)};
    if (!unfinished_)
      unfinished_ = websocket_message{h->kind, std::move(payload)};
    else
      unfinished_->payload += payload;
    if (h->is_final) {
      auto whole = std::move(unfinished_);
      unfinished_.reset();
      return whole;
    }
  }
  return std::nullopt;
}

std::string format_frame_head(websocket_opcode kind,
                              std::size_t payload_bytes) {
  std::string out;
  out += static_cast<char>(0x80 | static_cast<unsigned>(kind));
  int length_bytes = payload_bytes < 126 ? 0 : payload_bytes < 65536 ? 2 : 8;
  out += static_cast<char>(length_bytes == 0   ? payload_bytes
                           : length_bytes == 2 ? 126
                                               : 127);
  for (int i = length_bytes - 1; i >= 0; --i)
    out += static_cast<char>(payload_bytes >> (8 * i) & 255);
  return out;
}

std::string format_close_frame(websocket_close why) {
  auto code = static_cast<std::uint16_t>(why);
  return format_frame_head(websocket_opcode::close, 2)
         + static_cast<char>(code >> 8) + static_cast<char>(code & 255);
}

} // namespace troupe::k8s::http
