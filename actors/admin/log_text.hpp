#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace troupe::actors {

/// Makes text of the bytes of a log, however they are cut: UTF-8 whose
/// characters are whole, and lines of a limited length. Bytes that are no UTF-8
/// become one U+FFFD for as many as come together; control characters are left
/// out, but for tab, '\n', '\r', '\b', and ESC and '\a', with which escape
/// sequences begin and end. A value.
class log_text {
public:
  /// What is beyond in a line is left out, and said to be.
  static constexpr std::size_t most_line_bytes = 16u << 10;

  std::string feed(std::string_view bytes);
  /// What was kept back of the last piece, at the end of the log.
  std::string finish();

private:
  void add_character(std::string& out, std::string_view character);

  std::string cut_;            ///< The begin of a character.
  std::size_t line_bytes_ = 0; ///< Of the line so far; '\r' begins it anew.
  bool is_garbage_ = false;    ///< U+FFFD was the last character.
};

} // namespace troupe::actors
