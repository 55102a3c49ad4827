#include "k8s/duration.hpp"

#include <cmath>
#include <cstddef>

namespace troupe::k8s {

namespace {

/// Milliseconds of the unit at position `at`, and its length; 0 if none.
std::pair<double, std::size_t> parse_duration_unit(const std::string& text,
                                                   std::size_t at) {
  if (text.compare(at, 2, "ms") == 0)
    return {1, 2};
  if (text.compare(at, 1, "s") == 0)
    return {1000, 1};
  if (text.compare(at, 1, "m") == 0)
    return {60 * 1000, 1};
  if (text.compare(at, 1, "h") == 0)
    return {3600 * 1000, 1};
  return {0, 0};
}

} // namespace

result<std::chrono::milliseconds> parse_duration(const std::string& text) {
  auto refusal =
      failure{ec::invalid, "must be a duration such as 300ms, 5s, 2m or 1h30m"};
  if (text == "0")
    return std::chrono::milliseconds{0};
  if (text.empty())
    return refusal;
  double sum = 0;
  for (std::size_t at = 0; at < text.size();) {
    auto end = text.find_first_not_of("0123456789.", at);
    if (end == std::string::npos || end == at)
      return refusal;
    auto number = text.substr(at, end - at);
    auto dots = number.find('.');
    if (dots != std::string::npos
        && (number.size() == 1
            || number.find('.', dots + 1) != std::string::npos))
      return refusal;
    auto [factor, length] = parse_duration_unit(text, end);
    if (length == 0 || number.size() > 12)
      return refusal;
    sum += std::stod(number) * factor;
    at = end + length;
  }
  if (sum > 1e14)
    return refusal;
  return std::chrono::milliseconds{std::llround(sum)};
}

std::string to_duration_text(std::chrono::milliseconds d) {
  auto ms = d.count();
  if (ms == 0)
    return "0s";
  std::string text;
  if (ms >= 3600 * 1000)
    text += std::to_string(ms / (3600 * 1000)) + "h";
  if (auto minutes = ms / (60 * 1000) % 60; minutes != 0)
    text += std::to_string(minutes) + "m";
  auto rest = ms % (60 * 1000);
  if (rest % 1000 == 0 && rest != 0)
    text += std::to_string(rest / 1000) + "s";
  else if (rest != 0 && rest < 1000)
    text += std::to_string(rest) + "ms";
  else if (rest != 0) {
    auto fraction = std::to_string(1000 + rest % 1000).substr(1);
    fraction.erase(fraction.find_last_not_of('0') + 1);
    text += std::to_string(rest / 1000) + "." + fraction + "s";
  }
  return text;
}

} // namespace troupe::k8s
