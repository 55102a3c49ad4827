#include "actors/admin/log_text.hpp"

#include "actors/admin/text/utf8.hpp"

#include <utility>

namespace troupe::actors {

namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";
constexpr std::string_view cut_mark = " [the rest of the line is left out]";

bool is_shown(std::string_view character) {
  auto c = static_cast<unsigned char>(character[0]);
  return (c >= 0x20 && c != 0x7f)
         || std::string_view{"\t\n\r\b\a\x1b"}.find(character[0])
                != std::string_view::npos;
}

} // namespace

std::string log_text::feed(std::string_view bytes) {
  std::string joined;
  if (!cut_.empty()) {
    joined = cut_ + std::string{bytes};
    cut_.clear();
    bytes = joined;
  }
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    auto length = first_utf8_character_length(bytes);
    if (length == 0 && is_cut_utf8_character(bytes)) {
      cut_ = bytes;
      break;
    }
    if (length == 0) {
      if (!std::exchange(is_garbage_, true))
        add_character_within_line_limit(out, replacement);
      bytes.remove_prefix(1);
      continue;
    }
    auto character = bytes.substr(0, length);
    bytes.remove_prefix(length);
    if (!is_shown(character))
      continue;
    is_garbage_ = false;
    add_character_within_line_limit(out, character);
  }
  return out;
}

std::string log_text::finish() {
  std::string out;
  if (!cut_.empty() && !is_garbage_)
    add_character_within_line_limit(out, replacement);
  cut_.clear();
  return out;
}

void log_text::add_character_within_line_limit(std::string& out,
                                               std::string_view character) {
  if (character == "\n" || character == "\r") {
    line_bytes_ = 0;
    out += character;
    return;
  }
  auto before = line_bytes_;
  line_bytes_ += character.size();
  if (line_bytes_ <= most_line_bytes)
    out += character;
  else if (before <= most_line_bytes) {
    out += cut_mark;
    line_bytes_ = most_line_bytes + 1;
  }
}

} // namespace troupe::actors
