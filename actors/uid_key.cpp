#include "actors/uid_key.hpp"

#include <functional>
#include <optional>
#include <string_view>

namespace troupe::actors {

namespace {

constexpr std::string_view form = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

std::optional<std::uint64_t> digit_value(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f') // Capital letters are another text.
    return c - 'a' + 10;
  return std::nullopt;
}

} // namespace

uid_key::uid_key(const std::string& uid) {
  bool is_uuid = uid.size() == form.size();
  std::uint64_t high = 0, low = 0;
  for (std::size_t i = 0; i < uid.size() && is_uuid; ++i) {
    if (form[i] == '-') {
      is_uuid = uid[i] == '-';
      continue;
    }
    auto digit = digit_value(uid[i]);
    is_uuid = digit.has_value();
    high = high << 4 | low >> 60;
    low = low << 4 | digit.value_or(0);
  }
  if (is_uuid && (high != 0 || low != 0)) { // Zeros are what a text has.
    high_ = high;
    low_ = low;
  } else {
    text_ = uid;
  }
}

std::size_t uid_key::hash::operator()(const uid_key& key) const {
  // Most digits of a UUID are random.
  return key.high_ ^ key.low_ ^ std::hash<std::string>{}(*key.text_);
}

} // namespace troupe::actors
