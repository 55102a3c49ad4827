#include "k8s/http/spdy_frames.hpp"

namespace troupe::k8s::http {

namespace {

constexpr std::size_t spdy_head_bytes = 8;
constexpr std::size_t most_control_frame_bytes = 64u << 10;
constexpr std::uint16_t spdy_version = 3;
constexpr std::uint8_t spdy_last_flag = 1;
constexpr std::uint32_t stream_mask = 0x7fffffff;
constexpr std::uint32_t spdy_refused_stream = 3;

std::uint32_t read_big_endian(std::string_view bytes, std::size_t at,
                              std::size_t size) {
  std::uint32_t out = 0;
  for (char c : bytes.substr(at, size))
    out = out << 8 | static_cast<unsigned char>(c);
  return out;
}

std::string to_big_endian(std::uint32_t n, int bytes) {
  std::string out;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
    out += static_cast<char>(n >> shift & 255);
  return out;
}

std::string format_control_frame(std::uint16_t type,
                                 const std::string& payload) {
  return to_big_endian(0x8000u | spdy_version, 2) + to_big_endian(type, 2)
         + to_big_endian(0, 1)
         + to_big_endian(static_cast<std::uint32_t>(payload.size()), 3)
         + payload;
}

} // namespace

void spdy_reader::add_bytes(std::string_view bytes) {
  if (has_failed_)
    return;
  bytes_.erase(0, read_);
  read_ = 0;
  bytes_ += bytes;
}

std::optional<spdy_frame> spdy_reader::next_frame() {
  auto left = std::string_view{bytes_}.substr(read_);
  if (has_failed_ || left.size() < spdy_head_bytes)
    return std::nullopt;
  bool is_control = (read_big_endian(left, 0, 1) & 0x80) != 0;
  auto length = read_big_endian(left, 5, 3);
  if (is_control
      && (read_big_endian(left, 0, 2) != (0x8000u | spdy_version)
          || length > most_control_frame_bytes)) {
    has_failed_ = true;
    return std::nullopt;
  }
  if (left.size() < spdy_head_bytes + length)
    return std::nullopt;
  read_ += spdy_head_bytes + length;
  auto frame = left.substr(0, spdy_head_bytes + length);
  if (is_control)
    return read_control_frame(frame);
  spdy_frame out;
  out.type = spdy_type::data;
  out.stream = read_big_endian(frame, 0, 4) & stream_mask;
  out.is_last = (read_big_endian(frame, 4, 1) & spdy_last_flag) != 0;
  out.data = frame.substr(spdy_head_bytes);
  return out;
}

std::optional<spdy_frame>
spdy_reader::read_control_frame(std::string_view frame) {
  constexpr std::size_t open_bytes = 10; // Up to the headers.
  spdy_frame out;
  auto payload = frame.substr(spdy_head_bytes);
  auto type = read_big_endian(frame, 2, 2);
  if (type == static_cast<std::uint32_t>(spdy_type::open)
      && payload.size() >= open_bytes) {
    out.type = spdy_type::open;
    out.is_last = (read_big_endian(frame, 4, 1) & spdy_last_flag) != 0;
    if (auto headers = headers_.read_header_block(payload.substr(open_bytes)))
      out.headers = std::move(*headers);
    else
      has_failed_ = true;
  } else if (type == static_cast<std::uint32_t>(spdy_type::reset)
             && payload.size() == 8) {
    out.type = spdy_type::reset;
  } else if (type == static_cast<std::uint32_t>(spdy_type::ping)
             && payload.size() == 4) {
    out.type = spdy_type::ping;
    out.stream = read_big_endian(payload, 0, 4);
    return out;
  } else {
    // Those with headers would have to be inflated; no client sends them.
    has_failed_ = type == 1 || type == 2 || type == 8;
    if (!has_failed_)
      return out;
  }
  if (has_failed_)
    return std::nullopt;
  out.stream = read_big_endian(payload, 0, 4) & stream_mask;
  return out;
}

std::string format_spdy_data(std::uint32_t stream, std::string_view data,
                             bool is_last) {
  auto size = static_cast<std::uint32_t>(data.size());
  auto out = to_big_endian(stream, 4)
             + to_big_endian(is_last ? spdy_last_flag : 0u, 1)
             + to_big_endian(size, 3);
  out += data;
  return out;
}

std::string format_spdy_reply_without_headers(std::uint32_t stream,
                                              spdy_header_writer& headers) {
  return format_control_frame(2, to_big_endian(stream, 4)
                                     + headers.write_header_block({}));
}

std::string format_spdy_refusal(std::uint32_t stream) {
  return format_control_frame(3, to_big_endian(stream, 4)
                                     + to_big_endian(spdy_refused_stream, 4));
}

std::string format_spdy_ping(std::uint32_t number) {
  return format_control_frame(6, to_big_endian(number, 4));
}

} // namespace troupe::k8s::http
