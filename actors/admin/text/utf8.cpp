#include "actors/admin/text/utf8.hpp"

#include <algorithm>

namespace troupe::actors {

namespace {

/// By its first byte; 0 for one that begins none.
std::size_t utf8_length_by_first_byte(unsigned char first) {
  return first < 0x80                    ? 1
         : first >= 0xc2 && first < 0xe0 ? 2
         : first >= 0xe0 && first < 0xf0 ? 3
         : first >= 0xf0 && first < 0xf5 ? 4
                                         : 0;
}

} // namespace

std::size_t first_utf8_character_length(std::string_view text) {
  auto byte = [&](std::size_t i) {
    return static_cast<unsigned char>(i < text.size() ? text[i] : 0);
  };
  auto first = byte(0);
  auto length = utf8_length_by_first_byte(first);
  for (std::size_t i = 1; i < length; ++i)
    if (!is_utf8_continuation_byte(static_cast<char>(byte(i))))
      return 0;
  // Longer than they had to be, surrogates, beyond the last character.
  bool is_wrong =
      (first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f)
      || (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) > 0x8f);
  return is_wrong ? 0 : length;
}

bool is_cut_utf8_character(std::string_view text) {
  return !text.empty()
         && text.size()
                < utf8_length_by_first_byte(static_cast<unsigned char>(text[0]))
         && std::all_of(text.begin() + 1, text.end(),
                        is_utf8_continuation_byte);
}

} // namespace troupe::actors
