#include "actors/admin/text/utf8.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>

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

/// Of a whole character.
std::uint32_t code_point(std::string_view character) {
  auto first = static_cast<unsigned char>(character[0]);
  std::uint32_t code = character.size() == 1   ? first
                       : character.size() == 2 ? first & 0x1fu
                       : character.size() == 3 ? first & 0x0fu
                                               : first & 0x07u;
  for (char c : character.substr(1))
    code = code << 6 | (static_cast<unsigned char>(c) & 0x3fu);
  return code;
}

struct code_range {
  std::uint32_t first;
  std::uint32_t last;
};

/// Marks that are drawn over the character before, and what joins characters.
constexpr code_range without_columns[] = {
    {0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},   {0x64b, 0x65f},
    {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200f}, {0x2060, 0x2064},
    {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff},
};

/// Those that Unicode calls wide.
constexpr code_range of_two_columns[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x23e9, 0x23ec},
    {0x25fd, 0x25fe},   {0x2614, 0x2615},   {0x2648, 0x2653},
    {0x26a1, 0x26a1},   {0x2705, 0x2705},   {0x270a, 0x270b},
    {0x2728, 0x2728},   {0x274c, 0x274c},   {0x2753, 0x2757},
    {0x2795, 0x2797},   {0x2b1b, 0x2b1c},   {0x2b50, 0x2b55},
    {0x2e80, 0x303e},   {0x3041, 0x4dbf},   {0x4e00, 0xa4cf},
    {0xa960, 0xa97c},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},
    {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6},
    {0x1f18e, 0x1f19a}, {0x1f200, 0x1f265}, {0x1f300, 0x1f64f},
    {0x1f680, 0x1f6ff}, {0x1f7e0, 0x1f7eb}, {0x1f900, 0x1f9ff},
    {0x1fa70, 0x1faff}, {0x20000, 0x3fffd},
};

template <std::size_t N>
bool is_in_any(const code_range (&ranges)[N], std::uint32_t code) {
  return std::any_of(std::begin(ranges), std::end(ranges), [&](const auto& r) {
    return r.first <= code && code <= r.last;
  });
}

} // namespace

std::size_t columns_of_utf8_character(std::string_view character) {
  auto code = code_point(character);
  if (code < without_columns[0].first)
    return 1;
  return is_in_any(without_columns, code)  ? 0
         : is_in_any(of_two_columns, code) ? 2
                                           : 1;
}

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
