#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace troupe::k8s {

/// Cuts a stream of bytes into frames: four bytes of length, the most
/// significant first, and as many bytes as they say. It has no socket. A frame
/// that lies whole inside one chunk is not copied.
class watch_frames {
public:
  /// Refuses frames longer than `limit` bytes.
  explicit watch_frames(std::size_t limit = 64u << 20)
      : limit_(limit) {}

  /// Calls `frame` for each complete frame. Returns false when one exceeds the
  /// limit; the stream is then useless.
  bool feed(std::string_view chunk,
            const std::function<void(std::string_view)>& frame);

  /// How many bytes of an unfinished frame are kept.
  std::size_t pending_bytes() const { return carry_.size(); }

private:
  std::size_t limit_;
  std::string carry_; ///< With its length.
};

} // namespace troupe::k8s
