#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace troupe::cli {

/// Cuts a log into lines. A line may overwrite itself after '\r', as progress
/// bars do. Only the last state of such a line is kept, however long it goes
/// on. No socket, no clock.
class log_lines {
public:
  using handler = std::function<void(std::string_view)>;

  /// With `timed` each line begins with its time and a blank, which '\r' does
  /// not overwrite. A state longer than `limit` bytes is cut into lines.
  explicit log_lines(bool timed = false, std::size_t limit = 32u << 20);

  /// Calls back for each finished line with its last state, without the line's
  /// end.
  void feed(std::string_view bytes, const handler& line);
  /// Calls back with the line that has begun, "" if there is none, and ends it.
  void end_line(const handler& line);
  /// Forgets the line that has begun.
  void drop_line();

  /// What the unfinished line shows; "" if none has begun.
  std::string unfinished_line() const;
  /// Whether the unfinished line has overwritten itself.
  bool is_overwritten() const { return is_overwritten_; }
  /// Bytes that are kept.
  std::size_t pending() const {
    return time_.size() + former_.size() + state_.size();
  }

private:
  bool has_begun() const { return is_overwritten_ || pending() > 0; }
  void append_or_overwrite(std::string_view bytes, const handler& line);
  void overwrite(std::string_view bytes);
  void append_to_state_or_deliver_full(std::string_view bytes,
                                       const handler& line);

  bool timed_;
  std::size_t limit_;
  bool has_time_;
  std::string time_;
  std::string former_; ///< The state before, until the next one has begun.
  std::string state_;
  bool is_overwritten_ = false;
};

} // namespace troupe::cli
