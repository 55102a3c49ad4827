#pragma once

#include <cstddef>
#include <string_view>

namespace troupe::actors {

constexpr bool is_utf8_continuation_byte(char c) {
  return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u;
}

/// How many bytes the character of UTF-8 has with which the text begins, 0 if
/// it begins with none.
std::size_t utf8_length(std::string_view text);

/// Whether the text is the beginning of a character of UTF-8, without its end.
bool is_cut_utf8_character(std::string_view text);

} // namespace troupe::actors
