#include "frameworks/di/requests/request_json.hpp"

#include <charconv>

namespace troupe::frameworks::di {

namespace {

/// Deeper values are an attack: requests have three levels.
constexpr int most_levels = 100;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// 'x', '\n', '\u00e4': a character as Go quotes it in a message.
std::string quoted_character(char c) {
  if (c == '\'')
    return "'\\''";
  if (c == '"')
    return "'\"'";
  switch (c) {
  case '\a':
    return "'\\a'";
  case '\b':
    return "'\\b'";
  case '\f':
    return "'\\f'";
  case '\n':
    return "'\\n'";
  case '\r':
    return "'\\r'";
  case '\t':
    return "'\\t'";
  case '\v':
    return "'\\v'";
  case '\\':
    return "'\\\\'";
  default:
    break;
  }
  constexpr char hex[] = "0123456789abcdef";
  auto byte = static_cast<unsigned char>(c);
  if (byte < 0x20 || byte == 0x7f)
    return std::string{"'\\x"} + hex[byte >> 4] + hex[byte & 15] + "'";
  if (byte < 0x7f)
    return std::string{"'"} + c + "'";
  // Bytes are read as Latin-1.
  if (byte < 0xa1 || byte == 0xad)
    return std::string{"'\\u00"} + hex[byte >> 4] + hex[byte & 15] + "'";
  return std::string{"'"} + static_cast<char>(0xc0 | (byte >> 6))
         + static_cast<char>(0x80 | (byte & 0x3f)) + "'";
}

void append_utf8(std::string& out, std::uint32_t code) {
  auto byte = [&](std::uint32_t b) { out += static_cast<char>(b); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xc0 | (code >> 6));
    byte(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    byte(0xe0 | (code >> 12));
    byte(0x80 | ((code >> 6) & 0x3f));
    byte(0x80 | (code & 0x3f));
  } else {
    byte(0xf0 | (code >> 18));
    byte(0x80 | ((code >> 12) & 0x3f));
    byte(0x80 | ((code >> 6) & 0x3f));
    byte(0x80 | (code & 0x3f));
  }
}

class reader {
public:
  explicit reader(std::string_view text)
      : text_(text) {}

  k8s::result<request_value> read_first_value() {
    skip_blanks();
    if (at_ == text_.size())
      return syntax_failure("EOF");
    request_value out;
    if (read_value(out, 0))
      return out;
    return syntax_failure(why_);
  }

private:
  static k8s::failure syntax_failure(std::string why) {
    return {k8s::ec::invalid, std::move(why)};
  }

  /// Nullopt at the end, which is noted as the error.
  std::optional<char> next_character() {
    if (at_ < text_.size())
      return text_[at_++];
    why_ = "unexpected EOF";
    return std::nullopt;
  }

  std::optional<char> peek_character() {
    auto c = next_character();
    if (c)
      --at_;
    return c;
  }

  bool set_unexpected_character_error(char c, const std::string& where) {
    why_ = "invalid character " + quoted_character(c) + " " + where;
    return false;
  }

  void skip_blanks() {
    while (at_ < text_.size()
           && std::string_view{" \t\r\n"}.find(text_[at_]) != text_.npos)
      ++at_;
  }

  std::optional<char> next_after_blanks() {
    skip_blanks();
    return next_character();
  }

  bool read_value(request_value& out, int level) {
    if (level > most_levels) {
      why_ = "exceeded max depth";
      return false;
    }
    if (++values_ > most_request_values) {
      why_ = "the body has more than " + std::to_string(most_request_values)
             + " values; send several requests";
      return false;
    }
    auto c = next_after_blanks();
    if (!c)
      return false;
    switch (*c) {
    case '{':
      return read_object_after_brace(out, level);
    case '[':
      return read_array_after_bracket(out, level);
    case '"':
      out.is = request_value::type::string;
      return read_string_after_quote(out.text);
    case 't':
      out = {request_value::type::boolean, "true", {}, {}};
      return read_rest_of_literal("true");
    case 'f':
      out = {request_value::type::boolean, "false", {}, {}};
      return read_rest_of_literal("false");
    case 'n':
      out = {};
      return read_rest_of_literal("null");
    default:
      out.is = request_value::type::number;
      return *c == '-' || is_digit(*c)
                 ? read_number(out.text, *c)
                 : set_unexpected_character_error(
                     *c, "looking for beginning of value");
    }
  }

  bool read_object_after_brace(request_value& out, int level) {
    out.is = request_value::type::object;
    for (;;) {
      auto c = next_after_blanks();
      if (!c)
        return false;
      if (*c == '}' && out.members.empty())
        return true;
      if (*c != '"')
        return set_unexpected_character_error(
            *c, "looking for beginning of object key string");
      auto& member = out.members.emplace_back();
      if (!read_string_after_quote(member.first) || !(c = next_after_blanks()))
        return false;
      if (*c != ':')
        return set_unexpected_character_error(*c, "after object key");
      if (!read_value(member.second, level + 1) || !(c = next_after_blanks()))
        return false;
      if (*c == '}')
        return true;
      if (*c != ',')
        return set_unexpected_character_error(*c,
                                              "after object key:value pair");
    }
  }

  bool read_array_after_bracket(request_value& out, int level) {
    out.is = request_value::type::array;
    skip_blanks();
    auto c = peek_character();
    if (!c)
      return false;
    if (*c == ']')
      return next_character().has_value();
    for (;;) {
      if (!read_value(out.items.emplace_back(), level + 1)
          || !(c = next_after_blanks()))
        return false;
      if (*c == ']')
        return true;
      if (*c != ',')
        return set_unexpected_character_error(*c, "after array element");
    }
  }

  bool read_rest_of_literal(std::string_view word) {
    for (std::size_t i = 1; i < word.size(); ++i) {
      auto c = next_character();
      if (!c)
        return false;
      if (*c != word[i])
        return set_unexpected_character_error(
            *c, "in literal " + std::string{word} + " (expecting "
                    + quoted_character(word[i]) + ")");
    }
    return true;
  }

  /// Digits, as many as there are; at least one.
  bool read_digits(std::string& out, const char* where) {
    auto c = peek_character();
    if (!c)
      return false;
    if (!is_digit(*c))
      return set_unexpected_character_error(*c, where);
    while (at_ < text_.size() && is_digit(text_[at_]))
      out += text_[at_++];
    return true;
  }

  bool read_number(std::string& out, char first) {
    out = first;
    if (first == '-') {
      auto c = peek_character();
      if (!c)
        return false;
      if (!is_digit(*c))
        return set_unexpected_character_error(*c, "in numeric literal");
      out += text_[at_++];
    }
    if (out.back() != '0')
      while (at_ < text_.size() && is_digit(text_[at_]))
        out += text_[at_++];
    if (at_ < text_.size() && text_[at_] == '.') {
      out += text_[at_++];
      if (!read_digits(out, "after decimal point in numeric literal"))
        return false;
    }
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      out += text_[at_++];
      if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-'))
        out += text_[at_++];
      return read_digits(out, "in exponent of numeric literal");
    }
    return true;
  }

  bool read_string_after_quote(std::string& out) {
    for (;;) {
      auto c = next_character();
      if (!c)
        return false;
      if (*c == '"')
        return true;
      if (static_cast<unsigned char>(*c) < 0x20)
        return set_unexpected_character_error(*c, "in string literal");
      if (*c != '\\')
        out += *c;
      else if (!read_escape_after_backslash(out))
        return false;
    }
  }

  bool read_escape_after_backslash(std::string& out) {
    constexpr std::string_view letters = "\"\\/bfnrt";
    constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
    auto c = next_character();
    if (!c)
      return false;
    if (auto i = letters.find(*c); i != letters.npos) {
      out += meanings[i];
      return true;
    }
    return *c == 'u'
               ? read_unicode_escape(out)
               : set_unexpected_character_error(*c, "in string escape code");
  }

  std::optional<std::uint32_t> read_four_hex_digits() {
    std::uint32_t code = 0;
    for (int i = 0; i < 4; ++i) {
      auto c = next_character();
      if (!c)
        return std::nullopt;
      std::uint32_t digit = 0;
      if (is_digit(*c))
        digit = static_cast<std::uint32_t>(*c - '0');
      else if (*c >= 'a' && *c <= 'f')
        digit = static_cast<std::uint32_t>(*c - 'a' + 10);
      else if (*c >= 'A' && *c <= 'F')
        digit = static_cast<std::uint32_t>(*c - 'A' + 10);
      else {
        set_unexpected_character_error(*c,
                                       "in \\u hexadecimal character escape");
        return std::nullopt;
      }
      code = code * 16 + digit;
    }
    return code;
  }

  /// Half a surrogate pair becomes the replacement character.
  bool read_unicode_escape(std::string& out) {
    constexpr std::uint32_t replacement = 0xfffd;
    auto code = read_four_hex_digits();
    if (!code)
      return false;
    while (*code >= 0xd800 && *code < 0xe000) {
      bool first_half = *code < 0xdc00;
      if (!first_half || text_.substr(at_, 2) != "\\u") {
        code = replacement;
        break;
      }
      at_ += 2;
      auto second = read_four_hex_digits();
      if (!second)
        return false;
      if (*second >= 0xdc00 && *second < 0xe000) {
        code = 0x10000 + ((*code - 0xd800) << 10) + (*second - 0xdc00);
      } else {
        append_utf8(out, replacement);
        code = second;
      }
    }
    append_utf8(out, *code);
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t values_ = 0;
  std::string why_;
};

} // namespace

std::optional<std::int64_t> to_int64(const request_value& value) {
  std::int64_t number = 0;
  const char* end = value.text.data() + value.text.size();
  auto [at, error] = std::from_chars(value.text.data(), end, number);
  if (value.is != request_value::type::number || error != std::errc{}
      || at != end)
    return std::nullopt;
  return number;
}

const char* to_string(request_value::type t) {
  switch (t) {
  case request_value::type::null:
    return "null";
  case request_value::type::boolean:
    return "bool";
  case request_value::type::number:
    return "number";
  case request_value::type::string:
    return "string";
  case request_value::type::array:
    return "array";
  case request_value::type::object:
    return "object";
  }
  return "";
}

k8s::result<request_value> read_request_json(std::string_view text) {
  return reader{text}.read_first_value();
}

} // namespace troupe::frameworks::di
