#include "actors/admin/terminal_text.hpp"

namespace troupe::actors {

namespace {

bool is_utf8_continuation_byte(char c) {
  return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u;
}

} // namespace

std::size_t character_count(const std::string& text) {
  std::size_t n = 0;
  for (char c : text)
    n += is_utf8_continuation_byte(c) ? 0 : 1;
  return n;
}

std::string strip_control_characters(const std::string& text) {
  std::string out;
  out.reserve(text.size());
  for (char c : text) {
    auto u = static_cast<unsigned char>(c);
    if (c == '\t' || c == '\n')
      out += ' ';
    else if (u >= 0x20 && u != 0x7f)
      out += c;
  }
  return out;
}

std::string shorten(const std::string& text, std::size_t width) {
  if (character_count(text) <= width)
    return text;
  auto keep = width > 3 ? width - 3 : 0;
  std::size_t i = 0;
  for (std::size_t n = 0; i < text.size(); ++i)
    if (!is_utf8_continuation_byte(text[i]) && ++n > keep)
      break;
  return text.substr(0, i) + (width >= 3 ? "..." : "");
}

std::string pad_right(const std::string& text, std::size_t width) {
  auto n = character_count(text);
  return n < width ? text + std::string(width - n, ' ') : text;
}

} // namespace troupe::actors
