#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace troupe::k8s {

/// Cuts a stream of bytes into lines. It has no socket: its owner feeds it the
/// bytes that arrive, and it calls back for each complete line without its
/// '\n'. A line that lies whole inside one chunk is not copied.
class watch_lines {
public:
  /// Refuses lines longer than `limit` bytes.
  explicit watch_lines(std::size_t limit = 64u << 20)
      : limit_(limit) {}

  /// Returns false when a line exceeds the limit; the stream is then useless.
  bool feed(std::string_view chunk,
            const std::function<void(std::string_view)>& line);

  /// How many bytes of an unfinished line are kept.
  std::size_t pending_bytes() const { return carry_.size(); }

private:
  std::size_t limit_;
  std::string carry_;
};

} // namespace troupe::k8s
