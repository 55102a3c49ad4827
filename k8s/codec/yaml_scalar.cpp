#include "k8s/codec/yaml.hpp"
#include "k8s/text.hpp"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>

namespace troupe::k8s {

namespace {

std::optional<bool> parse_yaml_bool(const std::string& text) {
  if (is_one_of(text, {"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On",
                       "ON"}))
    return true;
  if (is_one_of(text, {"false", "False", "FALSE", "no", "No", "NO", "off",
                       "Off", "OFF"}))
    return false;
  return std::nullopt;
}

/// Digits of `base` only (and underscores between them), as a number.
std::optional<std::uint64_t> parse_digits_of_base(const std::string& text,
                                                  unsigned base) {
  std::uint64_t n = 0;
  bool any = false;
  for (char c : text) {
    if (c == '_' && any)
      continue;
    unsigned d = c >= '0' && c <= '9'   ? static_cast<unsigned>(c - '0')
                 : c >= 'a' && c <= 'f' ? static_cast<unsigned>(c - 'a' + 10)
                 : c >= 'A' && c <= 'F' ? static_cast<unsigned>(c - 'A' + 10)
                                        : 99u;
    if (d >= base || n > (std::numeric_limits<std::uint64_t>::max() - d) / base)
      return std::nullopt;
    n = n * base + d;
    any = true;
  }
  return any ? std::optional{n} : std::nullopt;
}

std::optional<json> parse_yaml_integer(std::string text) {
  bool negative = text[0] == '-';
  if (negative || text[0] == '+')
    text.erase(0, 1);
  auto starts = [&](const char* with) { return text.rfind(with, 0) == 0; };
  std::optional<std::uint64_t> n;
  if (starts("0x") || starts("0X"))
    n = parse_digits_of_base(text.substr(2), 16);
  else if (starts("0o"))
    n = parse_digits_of_base(text.substr(2), 8);
  else if (starts("0b"))
    n = parse_digits_of_base(text.substr(2), 2);
  else if (text.size() > 1 && text[0] == '0')
    n = parse_digits_of_base(text.substr(1), 8);
  else
    n = parse_digits_of_base(text, 10);
  if (!n)
    return std::nullopt;
  constexpr auto most =
      static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!negative)
    return *n <= most ? json(static_cast<std::int64_t>(*n)) : json(*n);
  if (*n > most)
    return std::nullopt;
  return json(-static_cast<std::int64_t>(*n));
}

/// [-+]? ( . digits | digits [. digits*] ) ( [eE] [-+]? digits )?
bool is_decimal_yaml_number(const std::string& text) {
  std::size_t i = text[0] == '-' || text[0] == '+' ? 1 : 0;
  auto run = [&] {
    auto from = i;
    while (i < text.size() && text[i] >= '0' && text[i] <= '9')
      ++i;
    return i - from;
  };
  auto before = run();
  std::size_t after = 0;
  if (i < text.size() && text[i] == '.') {
    ++i;
    after = run();
  }
  if (before + after == 0)
    return false;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '-' || text[i] == '+'))
      ++i;
    if (run() == 0)
      return false;
  }
  return i == text.size();
}

} // namespace

json parse_yaml_scalar(const std::string& text, const std::string& tag) {
  constexpr const char* core = "tag:yaml.org,2002:";
  bool plain = tag == "?" || tag.empty();
  bool number =
      tag == std::string(core) + "int" || tag == std::string(core) + "float";
  if (!plain && !number && tag != std::string(core) + "bool"
      && tag != std::string(core) + "null")
    return text;
  if (text.empty() || is_one_of(text, {"~", "null", "Null", "NULL"}))
    return nullptr;
  if (auto t = parse_yaml_bool(text))
    return *t;
  if (auto n = parse_yaml_integer(text))
    return *n;
  if (is_decimal_yaml_number(text))
    if (auto x = std::strtod(text.c_str(), nullptr); std::isfinite(x))
      return x;
  return text;
}

} // namespace troupe::k8s
