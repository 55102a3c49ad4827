#include "frameworks/core/base/uid_key.hpp"

#include <functional>
#include <optional>
#include <string_view>

namespace troupe::core {

namespace {

constexpr std::string_view form = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

std::optional<std::uint64_t> lower_case_hex_digit_value(char c) {
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
    auto digit = lower_case_hex_digit_value(uid[i]);
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

std::string uid_key::text() const {
  if (high_ == 0 && low_ == 0)
    return *text_;
  std::string uid{form};
  auto high = high_, low = low_;
  for (auto c = uid.rbegin(); c != uid.rend(); ++c) {
    if (*c == '-')
      continue;
    *c = "0123456789abcdef"[low & 0xf];
    low = low >> 4 | high << 60;
    high >>= 4;
  }
  return uid;
}

std::size_t uid_key::hash::operator()(const uid_key& key) const {
  // Most digits of a UUID are random.
  return key.high_ ^ key.low_ ^ std::hash<std::string>{}(*key.text_);
}

} // namespace troupe::core
