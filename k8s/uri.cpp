#include "k8s/uri.hpp"

namespace troupe::k8s {

namespace {

int hex_value_or_minus_one(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return -1;
}

} // namespace

std::string percent_encode(std::string_view text, std::string_view also_plain) {
  static constexpr char hex[] = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (unsigned char c : text) {
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
                 || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.'
                 || c == '~'
                 || also_plain.find(static_cast<char>(c)) != also_plain.npos;
    if (plain) {
      out += static_cast<char>(c);
    } else {
      out += '%';
      out += hex[c >> 4];
      out += hex[c & 15];
    }
  }
  return out;
}

std::optional<std::string> percent_decode(std::string_view text,
                                          bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '+' && plus_is_space) {
      c = ' ';
    } else if (c == '%') {
      int high = i + 1 < text.size() ? hex_value_or_minus_one(text[i + 1]) : -1;
      int low = i + 2 < text.size() ? hex_value_or_minus_one(text[i + 2]) : -1;
      if (high < 0 || low < 0)
        return std::nullopt;
      c = static_cast<char>(high * 16 + low);
      i += 2;
    }
    if (c == '\0')
      return std::nullopt;
    out += c;
  }
  return out;
}

} // namespace troupe::k8s
