#pragma once

#include "k8s/objects.hpp"
#include "k8s/watch/watch_frames.hpp"
#include "k8s/watch/watch_lines.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace troupe::k8s {

/// Reads events out of the bytes of a watch: lines of JSON or frames of
/// protobuf, whichever the server chose. No socket.
class watch_reader {
public:
  explicit watch_reader(object_detail detail)
      : detail_(detail) {}

  /// The events that `chunk` completes. An event that cannot be read is given
  /// as an error that says why.
  std::vector<watch_event> feed(std::string_view chunk);

private:
  object_detail detail_;
  std::optional<bool> framed_; ///< Known with the first byte.
  watch_lines lines_;
  watch_frames frames_;
};

} // namespace troupe::k8s
