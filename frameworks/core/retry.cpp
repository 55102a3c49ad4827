#include "frameworks/core/retry.hpp"

#include <algorithm>
#include <cstdint>

namespace troupe::core {

using std::chrono::milliseconds;

namespace {

constexpr std::int64_t first_ms = 50;
constexpr std::int64_t first_for_people_ms = 5'000;
constexpr std::int64_t first_of_refused_watch_ms = 250;
constexpr std::int64_t most_ms = 60'000;
constexpr std::chrono::seconds first_replacement{10};
constexpr std::chrono::seconds last_replacement{300};
constexpr std::int64_t most_for_outages_ms = 5'000;
constexpr double spread_of_lists_ms = 300;

bool needs_a_person(k8s::ec code) {
  return code == k8s::ec::unauthenticated || code == k8s::ec::forbidden
         || code == k8s::ec::invalid || code == k8s::ec::bug;
}

milliseconds after(const k8s::failure& why, int attempt, double jitter,
                   std::int64_t first, std::int64_t most) {
  auto ms = first;
  for (int i = 1; i < attempt && ms < most; ++i)
    ms *= 2;
  ms = std::min(ms, most);
  auto asked = why.retry_after.value_or(milliseconds{0});
  return std::max(spread(milliseconds{ms}, jitter), asked);
}

std::int64_t first_delay(k8s::ec code) {
  return needs_a_person(code) ? first_for_people_ms : first_ms;
}

} // namespace

milliseconds spread(milliseconds most, double jitter) {
  // Earlier rather than later, so that the longest wait stays what it is.
  return most
         - milliseconds{
             static_cast<std::int64_t>(static_cast<double>(most.count()) / 2
                                       * std::clamp(jitter, 0.0, 1.0))};
}

milliseconds delay_after(const k8s::failure& why, int attempt, double jitter) {
  return after(why, attempt, jitter, first_delay(why.code),
               why.code == k8s::ec::unreachable ? most_for_outages_ms
                                                : most_ms);
}

milliseconds watch_delay_after(const k8s::failure& why, int attempt,
                               double jitter) {
  if (why.code == k8s::ec::expired && attempt <= 1)
    return milliseconds{static_cast<std::int64_t>(
        spread_of_lists_ms * std::clamp(jitter, 0.0, 1.0))};
  bool of_the_server = may_be_outage(why.code) || why.code == k8s::ec::expired;
  bool refused = why.code == k8s::ec::forbidden || why.code == k8s::ec::gone;
  return after(why, attempt, jitter,
               refused ? first_of_refused_watch_ms : first_delay(why.code),
               of_the_server ? most_for_outages_ms : most_ms);
}

bool may_be_outage(k8s::ec code) {
  return code == k8s::ec::unreachable || code == k8s::ec::timeout
         || code == k8s::ec::overloaded || code == k8s::ec::server_error;
}

bool is_ready(const k8s::result<std::string>& answer) {
  return answer
         || !(may_be_outage(answer.error().code)
              || answer.error().code == k8s::ec::garbage
              || answer.error().code == k8s::ec::cancelled);
}

std::chrono::seconds replacement_delay(int in_a_row) {
  if (in_a_row <= 1)
    return std::chrono::seconds{0};
  auto delay = first_replacement;
  for (int i = 2; i < in_a_row && delay < last_replacement; ++i)
    delay *= 2;
  return std::min(delay, last_replacement);
}

} // namespace troupe::core
