#include "k8s/apiserver/reading/continue_token.hpp"

#include <charconv>
#include <string_view>

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

/// What is before the next colon; nullopt if there is none.
std::optional<std::string_view> take_until_colon(std::string_view& rest) {
  auto end = rest.find(':');
  if (end == std::string_view::npos)
    return std::nullopt;
  auto part = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return part;
}

bool read_number(std::string_view text, std::uint64_t& into) {
  const char* end = text.data() + text.size();
  auto [stop, e] = std::from_chars(text.data(), end, into);
  return e == std::errc{} && stop == end;
}

} // namespace

std::string encode_continue_token(const continue_token& m) {
  return to_hex("v1:" + std::to_string(m.resource_version) + ":"
                + (m.remaining ? std::to_string(*m.remaining) : "-") + ":"
                + m.key);
}

std::optional<continue_token> decode_continue_token(const std::string& token) {
  auto text = from_hex(token);
  if (!text || text->compare(0, 3, "v1:") != 0)
    return std::nullopt;
  auto rest = std::string_view{*text}.substr(3);
  continue_token m;
  auto version = take_until_colon(rest);
  auto remaining = take_until_colon(rest);
  if (!version || !remaining || !read_number(*version, m.resource_version))
    return std::nullopt;
  if (*remaining != "-" && !read_number(*remaining, m.remaining.emplace()))
    return std::nullopt;
  m.key = rest;
  return m;
}

} // namespace troupe::k8s::apiserver
