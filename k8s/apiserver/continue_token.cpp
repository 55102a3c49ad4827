#include "k8s/apiserver/continue_token.hpp"

#include <charconv>

namespace troupe::k8s::apiserver {

namespace {

// Hexadecimal, so that a token needs no escaping anywhere.
std::string to_hex(const std::string& text) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (unsigned char c : text)
    out.append(1, digits[c >> 4]).append(1, digits[c & 15]);
  return out;
}

std::optional<std::string> from_hex(const std::string& text) {
  if (text.size() % 2)
    return std::nullopt;
  std::string out;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    unsigned value = 0;
    auto end = text.data() + i + 2;
    auto [stop, e] = std::from_chars(text.data() + i, end, value, 16);
    if (e != std::errc{} || stop != end)
      return std::nullopt;
    out += static_cast<char>(value);
  }
  return out;
}

} // namespace

std::string encode_continue_token(const continue_token& m) {
  return to_hex("v1:" + std::to_string(m.resource_version) + ":" + m.key);
}

std::optional<continue_token> decode_continue_token(const std::string& token) {
  auto text = from_hex(token);
  if (!text || text->compare(0, 3, "v1:") != 0)
    return std::nullopt;
  continue_token m;
  const char* end = text->data() + text->size();
  auto [stop, e] = std::from_chars(text->data() + 3, end, m.resource_version);
  if (e != std::errc{} || stop == end || *stop != ':')
    return std::nullopt;
  m.key.assign(stop + 1, static_cast<std::size_t>(end - stop - 1));
  return m;
}

} // namespace troupe::k8s::apiserver
