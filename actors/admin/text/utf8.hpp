#pragma once

#include <cstddef>
#include <string_view>

namespace troupe::actors {

constexpr bool is_utf8_continuation_byte(char c) {
  return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u;
}

/// The number of bytes of the UTF-8 character at the beginning of the text; 0
/// if there is none.
std::size_t first_utf8_character_length(std::string_view text);

/// The columns that a terminal gives to a UTF-8 character: 2 for those of East
/// Asia and for pictures, 0 for marks on the one before.
std::size_t columns_of_utf8_character(std::string_view character);

/// Whether the text is nothing but the beginning of a UTF-8 character.
bool is_cut_utf8_character(std::string_view text);

} // namespace troupe::actors
