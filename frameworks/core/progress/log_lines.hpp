#pragma once

#include "k8s/objects.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::core {

/// Makes lines of the bytes of a log that an API server sends with timestamps,
/// however they are split. A line ends with '\n' or, as in progress bars, with
/// '\r'. What comes once more after a reconnect is left out. A value.
class log_lines {
public:
  /// The rest of a longer line is left out.
  static constexpr std::size_t most_line_bytes = 64u << 10;

  /// Gets a line that is not empty: text in UTF-8 without its timestamp,
  /// escape sequences and control characters; bytes that are no UTF-8 are
  /// U+FFFD.
  using taker = std::function<void(std::string_view line)>;

  void feed(std::string_view bytes, const taker& take);
  /// The log has ended: its last line may have no end.
  void finish(const taker& take);

  /// The log is read again, from since() on.
  void begin_again();
  /// The log is read from a later time on: what is between was not read.
  void skip_ahead() { *this = log_lines{}; }
  /// A time before which all lines have been read; nullopt: there were none.
  std::optional<k8s::time_point> since() const;

private:
  /// How far the log has been read: within the lines of one time.
  struct place {
    k8s::time_point time{};
    std::size_t lines = 0; ///< Of this time that were read whole.
    std::size_t parts = 0; ///< Of the line after these that were ended by '\r'.
  };

  void add_text(std::string_view text, const taker& take);
  void read_time();
  void end_part(const taker& take);
  void end_line(const taker& take);
  void give_part(const taker& take);
  void begin_line_at(k8s::time_point time);
  bool is_read_already();

  bool in_time_ = true; ///< The timestamp of the line has not been read.
  std::string time_text_;
  bool has_time_ = false; ///< The line had one.
  std::string text_;      ///< Of the line, or of the part of it.
  bool given_ = false;    ///< It was longer, and its beginning was taken.
  place read_;
  std::optional<place> again_; ///< Up to here it was read before.
  place passed_;               ///< What of that has come again.
  bool skips_line_ = false;
  std::size_t skipped_parts_ = 0; ///< So many of the line are left out.
};

} // namespace troupe::core
