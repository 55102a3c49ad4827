#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::k8s::http {

// The frames of a WebSocket (RFC 6455), as a server reads and writes them. No
// socket.

enum class websocket_opcode : std::uint8_t {
  continuation = 0,
  text = 1,
  binary = 2,
  close = 8,
  ping = 9,
  pong = 10,
};

/// Why a WebSocket is closed.
enum class websocket_close : std::uint16_t {
  normal = 1000,
  protocol_error = 1002,
  message_too_big = 1009,
  internal_error = 1011,
};

/// A message whose frames have been put together, or a control frame.
struct websocket_message {
  websocket_opcode kind;
  std::string payload;
};

/// Reads what a client sends. Texts are not checked for UTF-8.
class websocket_reader {
public:
  explicit websocket_reader(std::size_t most_message_bytes)
      : most_(most_message_bytes) {}

  void add(std::string_view bytes);
  /// The next message; nullopt while more bytes are needed, and after an error.
  std::optional<websocket_message> next();
  /// What is wrong with the client's bytes; nullopt for nothing.
  std::optional<websocket_close> error() const { return error_; }

private:
  struct frame_head;

  std::optional<frame_head> read_head();
  bool is_acceptable(const frame_head& h);
  std::string take_payload(const frame_head& h);

  std::size_t most_;
  std::string bytes_;
  std::size_t read_ = 0; ///< Of bytes_: what has been used.
  std::optional<websocket_message> unfinished_;
  std::optional<websocket_close> error_;
};

/// The head of a whole, unmasked frame: the payload follows it.
std::string format_frame_head(websocket_opcode kind, std::size_t payload_bytes);

/// A whole close frame.
std::string format_close_frame(websocket_close why);

} // namespace troupe::k8s::http
