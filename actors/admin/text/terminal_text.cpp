#include "actors/admin/text/terminal_text.hpp"

#include "actors/admin/text/utf8.hpp"

#include <algorithm>
#include <cstdio>
#include <string_view>

namespace troupe::actors {

namespace {

constexpr char escape = '\x1b';

/// Of the escape sequence (ECMA-48) with which the text begins.
std::size_t escape_sequence_length(std::string_view text) {
  if (text.size() < 2)
    return 1;
  auto is_between = [&](std::size_t i, char first, char last) {
    return i < text.size() && text[i] >= first && text[i] <= last;
  };
  if (text[1] == '[') {
    std::size_t end = 2;
    while (is_between(end, ' ', '?'))
      ++end;
    return is_between(end, '@', '~') ? end + 1 : end;
  }
  // These have a text of any length, up to BEL or ESC and a backslash.
  if (std::string_view{"]PX^_"}.find(text[1]) != text.npos) {
    auto end = text.find_first_of("\a\x1b", 2);
    return end == text.npos ? text.size() : end + (text[end] == '\a' ? 1 : 2);
  }
  std::size_t end = 1;
  while (is_between(end, '!', '/')) // "ESC ( B" chooses a set of characters.
    ++end;
  return is_between(end, '0', '~') ? end + 1 : end;
}

/// Whether a sequence sets colours, or bold and its like: "ESC[1;31m".
bool is_graphic_rendition(std::string_view sequence) {
  return sequence.size() > 2 && sequence.substr(0, 2) == "\x1b["
         && sequence.back() == 'm'
         && sequence.find_first_not_of("0123456789;:", 2)
                == sequence.size() - 1;
}

/// Control characters, those of Unicode beyond ASCII as well.
bool is_control_character(std::string_view character) {
  auto first = static_cast<unsigned char>(character[0]);
  return first < 0x20 || first == 0x7f
         || (first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0);
}

/// Of a control character, or of a byte that is no text.
std::string escape_of_character(std::string_view character) {
  if (character == "\n")
    return "\\n";
  if (character == "\t")
    return "\\t";
  if (character == "\r")
    return "\\r";
  // Of two bytes the second is the number, as far as control characters go.
  auto number = static_cast<unsigned char>(character.back());
  bool is_character = character.size() > 1 || number < 0x80;
  char code[8];
  std::snprintf(code, sizeof code, is_character ? "\\u%04x" : "\\x%02x",
                static_cast<unsigned>(number));
  return code;
}

std::string strip_control_sequences(std::string_view text, bool with_colours) {
  std::string out;
  out.reserve(text.size());
  bool is_coloured = false;
  while (!text.empty()) {
    auto length = first_utf8_character_length(text);
    auto c = text.front();
    if (c == escape) {
      length = std::min(escape_sequence_length(text), text.size());
      if (with_colours && is_graphic_rendition(text.substr(0, length))) {
        out += text.substr(0, length);
        is_coloured = true;
      }
    } else if (c == '\t' || c == '\n') {
      out += ' ';
    } else if (length == 0) {
      out += '?'; // What terminals make of it is not for us to guess.
      length = 1;
    } else if (!is_control_character(text.substr(0, length))) {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return is_coloured ? out + "\x1b[0m" : out;
}

} // namespace

std::size_t column_count(const std::string& text) {
  std::size_t n = 0;
  for (std::string_view rest = text; !rest.empty();) {
    auto length = std::max<std::size_t>(first_utf8_character_length(rest), 1);
    n += columns_of_utf8_character(rest.substr(0, length));
    rest.remove_prefix(length);
  }
  return n;
}

std::string strip_control_characters(const std::string& text) {
  return strip_control_sequences(text, false);
}

std::string escape_control_characters(const std::string& text) {
  std::string out;
  std::string_view rest = text;
  while (!rest.empty()) {
    auto length = std::max<std::size_t>(first_utf8_character_length(rest), 1);
    auto character = rest.substr(0, length);
    if (first_utf8_character_length(rest) > 0
        && !is_control_character(character))
      out += character;
    else
      out += escape_of_character(character);
    rest.remove_prefix(length);
  }
  return out;
}

std::string escape_control_characters_of_lines(const std::string& text) {
  std::string out;
  for (std::size_t begin = 0;;) {
    auto end = text.find('\n', begin);
    out += escape_control_characters(text.substr(begin, end - begin));
    if (end == text.npos)
      return out;
    out += '\n';
    begin = end + 1;
  }
}

std::string sanitize_log_line(const std::string& line, bool with_colours) {
  std::string_view text = line;
  while (!text.empty() && text.back() == '\r')
    text.remove_suffix(1);
  auto last = text.rfind('\r');
  return strip_control_sequences(
      last == text.npos ? text : text.substr(last + 1), with_colours);
}

std::string truncate_with_ellipsis(const std::string& text, std::size_t width) {
  if (column_count(text) <= width)
    return text;
  auto keep = width > 3 ? width - 3 : 0;
  std::string_view rest = text;
  std::string out;
  for (std::size_t n = 0; !rest.empty();) {
    auto length = std::max<std::size_t>(first_utf8_character_length(rest), 1);
    n += columns_of_utf8_character(rest.substr(0, length));
    if (n > keep)
      break;
    out += rest.substr(0, length);
    rest.remove_prefix(length);
  }
  return out + (width >= 3 ? "..." : "");
}

std::string truncate_in_middle(const std::string& text, std::size_t width) {
  constexpr std::size_t least = 8;
  auto is_ascii = std::all_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x80;
  });
  if (text.size() <= width || width < least || !is_ascii)
    return truncate_with_ellipsis(text, width);
  auto begin = (width - 3 + 1) / 2;
  auto end = width - 3 - begin;
  return text.substr(0, begin) + "..." + text.substr(text.size() - end);
}

std::string pad_right(const std::string& text, std::size_t width) {
  auto n = column_count(text);
  return n < width ? text + std::string(width - n, ' ') : text;
}

} // namespace troupe::actors
