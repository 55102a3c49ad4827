#pragma once

#include "k8s/http/spdy_headers.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::k8s::http {

// The frames of SPDY/3.1, as far as port-forwards need them. No socket. There
// is no flow control by windows: kubectl has none either.

enum class spdy_type : std::uint8_t {
  data = 0,
  open = 1,  ///< SYN_STREAM.
  reset = 3, ///< RST_STREAM.
  ping = 6,
  other, ///< One that needs no answer.
};

struct spdy_frame {
  spdy_type type = spdy_type::other;
  std::uint32_t stream = 0; ///< Of a ping, its number.
  bool is_last = false;     ///< The sender closes its half of the stream.
  std::string data;
  spdy_header_map headers; ///< Of a new stream.
};

/// Reads what a client sends.
class spdy_reader {
public:
  void add_bytes(std::string_view bytes);
  /// The next frame; nullopt while more bytes are needed, and after an error.
  std::optional<spdy_frame> next_frame();
  /// The bytes were not SPDY/3.
  bool has_failed() const { return has_failed_; }

private:
  std::optional<spdy_frame> read_control_frame(std::string_view frame);

  std::string bytes_;
  std::size_t read_ = 0; ///< Of bytes_: what has been used.
  spdy_header_reader headers_;
  bool has_failed_ = false;
};

std::string format_spdy_data(std::uint32_t stream, std::string_view data,
                             bool is_last);
/// SYN_REPLY, without headers.
std::string format_spdy_reply_without_headers(std::uint32_t stream,
                                              spdy_header_writer& headers);
/// RST_STREAM: the stream is refused.
std::string format_spdy_refusal(std::uint32_t stream);
std::string format_spdy_ping(std::uint32_t number);

} // namespace troupe::k8s::http
