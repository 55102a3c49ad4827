#include "k8s/objects.hpp"

#include <algorithm>
#include <charconv>
#include <ctime>

namespace troupe::k8s {

namespace {

std::string format_whole_seconds(time_point t, const char* format) {
  auto seconds = std::chrono::floor<std::chrono::seconds>(t);
  auto count = static_cast<std::time_t>(seconds.time_since_epoch().count());
  std::tm parts{};
  gmtime_r(&count, &parts);
  char text[32];
  auto length = std::strftime(text, sizeof text, format, &parts);
  return {text, length};
}

} // namespace

const char* to_string(pod_phase p) {
  switch (p) {
  case pod_phase::pending:
    return "Pending";
  case pod_phase::running:
    return "Running";
  case pod_phase::succeeded:
    return "Succeeded";
  case pod_phase::failed:
    return "Failed";
  case pod_phase::unknown:
    break;
  }
  return "Unknown";
}

bool operator==(const batch_job_state& a, const batch_job_state& b) {
  return a.suspended == b.suspended && a.started == b.started
         && a.ended == b.ended && a.failed_pods == b.failed_pods
         && a.complete == b.complete && a.failed == b.failed
         && a.failed_reason == b.failed_reason
         && a.failed_message == b.failed_message
         && a.scheduling_group == b.scheduling_group;
}

std::string to_rfc3339(time_point t) {
  return format_whole_seconds(t, "%Y-%m-%dT%H:%M:%SZ");
}

std::string to_rfc3339_micro(time_point t) {
  auto rest = t - std::chrono::floor<std::chrono::seconds>(t);
  auto micros =
      std::chrono::duration_cast<std::chrono::microseconds>(rest).count();
  auto digits = std::to_string(micros);
  return format_whole_seconds(t, "%Y-%m-%dT%H:%M:%S.")
         + std::string(6 - digits.size(), '0') + digits + 'Z';
}

namespace {

/// A fixed number of digits at `at`, or -1.
int parse_digits_or_minus_one(std::string_view text, std::size_t at,
                              std::size_t count) {
  if (text.size() < at + count)
    return -1;
  int value = 0;
  for (auto c : text.substr(at, count)) {
    if (c < '0' || c > '9')
      return -1;
    value = value * 10 + (c - '0');
  }
  return value;
}

constexpr std::string_view shape = "0000-00-00T00:00:00";

bool has_rfc3339_separators(std::string_view text) {
  if (text.size() <= shape.size())
    return false;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (shape[i] != '0' && shape[i] != text[i]
        && !(shape[i] == 'T' && (text[i] == 't' || text[i] == ' ')))
      return false;
  return true;
}

/// What stands where `shape` stands; nullopt if a part is out of bounds.
std::optional<std::tm> parse_date_and_time(std::string_view text) {
  struct {
    std::size_t at, count;
    int least, most;
  } const parts[] = {{0, 4, 0, 9999}, {5, 2, 1, 12},  {8, 2, 1, 31},
                     {11, 2, 0, 23},  {14, 2, 0, 59}, {17, 2, 0, 60}};
  int values[6];
  for (int i = 0; i < 6; ++i) {
    const auto& p = parts[i];
    values[i] = parse_digits_or_minus_one(text, p.at, p.count);
    if (values[i] < p.least || values[i] > p.most)
      return std::nullopt;
  }
  std::tm out{};
  // A year more at both ends: the offset may lead back into the range.
  out.tm_year = std::clamp(values[0], 1969, 2251) - 1900;
  out.tm_mon = values[1] - 1;
  out.tm_mday = values[2];
  out.tm_hour = values[3];
  out.tm_min = values[4];
  out.tm_sec = values[5];
  return out;
}

/// Takes ".25" off the front of `text`; nullopt if there are no digits.
std::optional<std::chrono::nanoseconds>
take_fractional_seconds(std::string_view& text) {
  std::chrono::nanoseconds result{0};
  if (text[0] != '.')
    return result;
  std::chrono::nanoseconds unit{100'000'000};
  std::size_t i = 1;
  for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i) {
    result += (text[i] - '0') * unit;
    unit /= 10;
  }
  if (i == 1)
    return std::nullopt;
  text.remove_prefix(i);
  return result;
}

/// Reads "Z" or "+01:00".
std::optional<std::chrono::minutes> parse_utc_offset(std::string_view text) {
  if (text == "Z" || text == "z")
    return std::chrono::minutes{0};
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':')
    return std::nullopt;
  auto hours = parse_digits_or_minus_one(text, 1, 2);
  auto minutes = parse_digits_or_minus_one(text, 4, 2);
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59)
    return std::nullopt;
  std::chrono::minutes offset{hours * 60 + minutes};
  return text[0] == '-' ? -offset : offset;
}

} // namespace

std::optional<time_point> from_rfc3339(std::string_view text) {
  if (!has_rfc3339_separators(text))
    return std::nullopt;
  auto parts = parse_date_and_time(text);
  if (!parts)
    return std::nullopt;
  text.remove_prefix(shape.size());
  auto fraction = take_fractional_seconds(text);
  if (!fraction)
    return std::nullopt;
  auto offset = parse_utc_offset(text);
  if (!offset)
    return std::nullopt;
  auto result = std::chrono::system_clock::from_time_t(timegm(&*parts))
                + std::chrono::duration_cast<time_point::duration>(*fraction)
                - *offset;
  return std::clamp(result, earliest_time, latest_time);
}

std::uint64_t parse_resource_version_or_zero(std::string_view text) {
  std::uint64_t version = 0;
  auto end = text.data() + text.size();
  auto [last, error] = std::from_chars(text.data(), end, version);
  return error == std::errc{} && last == end ? version : 0;
}

} // namespace troupe::k8s
