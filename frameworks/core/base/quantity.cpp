#include "frameworks/core/base/quantity.hpp"

#include <algorithm>
#include <cstdint>

namespace troupe::core {

namespace {

__extension__ using amount = __int128;

constexpr amount per_unit = 1'000'000'000;

struct suffix {
  const char* text;
  amount billionths;
  bool binary;
};

constexpr amount ki = 1024;

/// Each in falling order.
constexpr suffix suffixes[] = {
    {"Ei", per_unit* ki* ki* ki* ki* ki* ki, true},
    {"Pi", per_unit* ki* ki* ki* ki* ki, true},
    {"Ti", per_unit* ki* ki* ki* ki, true},
    {"Gi", per_unit* ki* ki* ki, true},
    {"Mi", per_unit* ki* ki, true},
    {"Ki", per_unit* ki, true},
    {"E", per_unit * 1'000'000'000'000'000'000, false},
    {"P", per_unit * 1'000'000'000'000'000, false},
    {"T", per_unit * 1'000'000'000'000, false},
    {"G", per_unit * 1'000'000'000, false},
    {"M", per_unit * 1'000'000, false},
    {"k", per_unit * 1'000, false},
    {"", per_unit, false},
    {"m", 1'000'000, false},
    {"u", 1'000, false},
    {"n", 1, false},
};

std::string to_decimal_text(amount n) {
  bool negative = n < 0;
  std::string result;
  do {
    auto digit = static_cast<int>(n % 10);
    result += static_cast<char>('0' + (digit < 0 ? -digit : digit));
    n /= 10;
  } while (n != 0);
  if (negative)
    result += '-';
  std::reverse(result.begin(), result.end());
  return result;
}

/// "e3", "E-6": a power of ten as a factor of billionths.
std::optional<amount> parse_exponent_as_factor(const std::string& text) {
  if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E'))
    return std::nullopt;
  bool negative = text[1] == '-';
  std::size_t at = negative || text[1] == '+' ? 2 : 1;
  if (text.size() == at || text.size() > at + 2)
    return std::nullopt;
  int n = 0;
  for (; at < text.size(); ++at) {
    if (text[at] < '0' || text[at] > '9')
      return std::nullopt;
    n = n * 10 + (text[at] - '0');
  }
  n = negative ? -n : n;
  if (n > 18 || n < -9)
    return std::nullopt;
  amount result = per_unit;
  for (; n > 0; --n)
    result *= 10;
  for (; n < 0; ++n)
    result /= 10;
  return result;
}

std::optional<suffix> parse_suffix_or_exponent(const std::string& text) {
  for (const auto& s : suffixes)
    if (text == s.text)
      return s;
  if (auto p = parse_exponent_as_factor(text))
    return suffix{"", *p, false};
  return std::nullopt;
}

/// Far beyond any cluster, and far from overflow.
constexpr amount largest = per_unit * 1'000'000'000'000'000'000 * 16;

} // namespace

std::optional<quantity> quantity::parse(const std::string& text) {
  std::size_t at = 0;
  bool negative = !text.empty() && text[0] == '-';
  if (negative || (!text.empty() && text[0] == '+'))
    ++at;
  amount whole = 0;
  amount share = per_unit; // Of the next digit behind the point.
  amount fraction = 0;
  bool any = false;
  bool behind = false;
  for (; at < text.size(); ++at) {
    char c = text[at];
    if (c == '.' && !behind) {
      behind = true;
      continue;
    }
    if (c < '0' || c > '9')
      break;
    any = true;
    if (!behind) {
      whole = whole * 10 + (c - '0');
      if (whole > largest / per_unit)
        return std::nullopt;
    } else {
      share /= 10;
      fraction += share * (c - '0');
    }
  }
  auto unit = parse_suffix_or_exponent(text.substr(at));
  if (!any || !unit)
    return std::nullopt;
  if (whole > 0 && unit->billionths > largest / whole)
    return std::nullopt;
  quantity q;
  q.billionths_ =
      whole * unit->billionths + fraction * unit->billionths / per_unit;
  if (negative)
    q.billionths_ = -q.billionths_;
  q.binary_ = unit->binary;
  return q;
}

quantity& quantity::operator+=(const quantity& more) {
  if (billionths_ == 0)
    binary_ = more.binary_;
  billionths_ = std::clamp(billionths_ + more.billionths_, -largest, largest);
  return *this;
}

quantity& quantity::operator*=(std::int32_t times) {
  billionths_ = std::clamp(billionths_ * times, -largest, largest);
  return *this;
}

std::int64_t quantity::round_up() const {
  auto whole = billionths_ / per_unit;
  if (billionths_ % per_unit > 0)
    ++whole;
  constexpr amount limit = INT64_MAX;
  return static_cast<std::int64_t>(std::clamp(whole, -limit, limit));
}

std::string quantity::to_text() const {
  if (billionths_ == 0)
    return "0";
  bool binary = binary_ && billionths_ % per_unit == 0;
  for (const auto& s : suffixes)
    if ((s.binary == binary || s.billionths == per_unit)
        && billionths_ % s.billionths == 0)
      return to_decimal_text(billionths_ / s.billionths) + s.text;
  return to_decimal_text(billionths_) + "n";
}

} // namespace troupe::core
