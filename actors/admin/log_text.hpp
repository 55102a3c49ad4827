#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace troupe::actors {

/// Makes text of the bytes of a log, however these are split: UTF-8 of whole
/// characters, in lines of a limited length. Adjacent bytes that are not UTF-8
/// become one U+FFFD. The control characters of ASCII are left out, except tab,
/// '\n', '\r', '\b', and ESC and '\a', which begin and end escape sequences. A
/// value.
class log_text {
public:
  /// The rest of a longer line is left out, and a note says so.
  static constexpr std::size_t most_line_bytes = 16u << 10;

  std::string feed(std::string_view bytes);
  /// At the end of the log: the text of what was kept of the last bytes.
  std::string finish();

private:
  void add_character_within_line_limit(std::string& out,
                                       std::string_view character);

  std::string cut_;            ///< The beginning of a character.
  std::size_t line_bytes_ = 0; ///< Of the line so far; '\r' sets it to 0.
  bool is_garbage_ = false;    ///< U+FFFD was the last character.
};

} // namespace troupe::actors
