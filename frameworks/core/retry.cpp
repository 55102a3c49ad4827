#include "frameworks/core/retry.hpp"

#include <algorithm>
#include <cstdint>

namespace troupe::core {

using std::chrono::milliseconds;

namespace {

constexpr std::int64_t first_ms = 50;
constexpr std::int64_t first_for_people_ms = 5'000;
constexpr std::int64_t most_ms = 60'000;
constexpr std::chrono::seconds first_replacement{10};
constexpr std::chrono::seconds last_replacement{300};

bool needs_a_person(k8s::ec code) {
  return code == k8s::ec::forbidden || code == k8s::ec::invalid
         || code == k8s::ec::bug;
}

} // namespace

milliseconds delay_after(const k8s::failure& why, int attempt, double jitter) {
  auto ms = needs_a_person(why.code) ? first_for_people_ms : first_ms;
  for (int i = 1; i < attempt && ms < most_ms; ++i)
    ms *= 2;
  ms = std::min(ms, most_ms);
  // Earlier rather than later, so that the longest wait stays what it is.
  ms -= static_cast<std::int64_t>(static_cast<double>(ms) / 2
                                  * std::clamp(jitter, 0.0, 1.0));
  auto asked = why.retry_after.value_or(milliseconds{0});
  return std::max(milliseconds{ms}, asked);
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
