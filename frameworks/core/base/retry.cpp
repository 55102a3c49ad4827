#include "frameworks/core/base/retry.hpp"

#include <algorithm>
#include <cstdint>

namespace troupe::core {

using std::chrono::milliseconds;

namespace {

constexpr milliseconds first_delay{50};
constexpr milliseconds first_for_people{5'000};
constexpr milliseconds first_of_refused_watch{250};
constexpr milliseconds longest_delay{60'000};
constexpr milliseconds longest_for_outages{5'000};
constexpr std::chrono::seconds first_replacement{10};
constexpr std::chrono::seconds last_replacement{300};
constexpr double spread_of_lists_ms = 300;

bool needs_manual_fix(k8s::ec code) {
  return code == k8s::ec::unauthenticated || code == k8s::ec::forbidden
         || code == k8s::ec::invalid || code == k8s::ec::bug;
}

/// `first`, doubled `times` times, but no more than `most`.
template <class Duration>
Duration exponential_delay(Duration first, int times, Duration most) {
  for (; times > 0 && first < most; --times)
    first *= 2;
  return std::min(first, most);
}

milliseconds backoff_with_jitter(const k8s::failure& why, int attempt,
                                 double jitter, milliseconds first,
                                 milliseconds most) {
  auto server_retry_after = why.retry_after.value_or(milliseconds{0});
  return std::max(
      subtract_jitter(exponential_delay(first, attempt - 1, most), jitter),
      server_retry_after);
}

milliseconds first_delay_after(k8s::ec code) {
  return needs_manual_fix(code) ? first_for_people : first_delay;
}

} // namespace

bool has_wait_ended_or_clock_reset(k8s::time_point begin, k8s::time_point end,
                                   k8s::time_point now) {
  return now >= end || now < begin;
}

milliseconds subtract_jitter(milliseconds most, double jitter) {
  // Jitter only shortens the delay, so that the maximum is not exceeded.
  return most
         - milliseconds{
             static_cast<std::int64_t>(static_cast<double>(most.count()) / 2
                                       * std::clamp(jitter, 0.0, 1.0))};
}

milliseconds retry_delay_after(const k8s::failure& why, int attempt,
                               double jitter) {
  return backoff_with_jitter(
      why, attempt, jitter, first_delay_after(why.code),
      why.code == k8s::ec::unreachable ? longest_for_outages : longest_delay);
}

milliseconds watch_retry_delay_after(const k8s::failure& why, int attempt,
                                     double jitter) {
  if (why.code == k8s::ec::expired && attempt <= 1)
    return milliseconds{static_cast<std::int64_t>(
        spread_of_lists_ms * std::clamp(jitter, 0.0, 1.0))};
  bool of_the_server = may_be_outage(why.code) || why.code == k8s::ec::expired;
  bool refused =
      why.code == k8s::ec::forbidden || why.code == k8s::ec::not_found;
  return backoff_with_jitter(
      why, attempt, jitter,
      refused ? first_of_refused_watch : first_delay_after(why.code),
      of_the_server ? longest_for_outages : longest_delay);
}

bool may_be_outage(k8s::ec code) {
  return code == k8s::ec::unreachable || code == k8s::ec::timeout
         || code == k8s::ec::overloaded || code == k8s::ec::server_error;
}

bool answer_means_server_ready(const k8s::result<std::string>& answer,
                               bool was_unreachable) {
  if (answer)
    return true;
  auto code = answer.error().code;
  return !was_unreachable && !may_be_outage(code) && code != k8s::ec::garbage
         && code != k8s::ec::cancelled;
}

std::chrono::seconds replacement_delay_after_early_failures(int in_a_row) {
  if (in_a_row <= 1)
    return std::chrono::seconds{0};
  return exponential_delay(first_replacement, in_a_row - 2, last_replacement);
}

} // namespace troupe::core
