#include "frameworks/core/pass/deadlines.hpp"

namespace troupe::core {

namespace {

/// `from` plus `length`, or nothing if that is beyond all time. What is before
/// the clock's first second is that second: it has passed just as well.
std::optional<time_point> add_unless_overflow(time_point from, seconds length) {
  constexpr auto end = time_point::max();
  constexpr time_point begin{};
  if (from < begin || length <= std::chrono::ceil<seconds>(begin - from))
    return begin;
  if (length >= std::chrono::floor<seconds>(end - from))
    return std::nullopt;
  return from + length;
}

} // namespace

std::optional<time_point> active_deadline_at(const job& j,
                                             const job_status& s) {
  if (!s.start_time || !j.policy.active_deadline)
    return std::nullopt;
  return add_unless_overflow(*s.start_time, *j.policy.active_deadline);
}

std::optional<time_point> ttl_expires_at(const job& j, const job_status& s) {
  return j.policy.suspend ? std::nullopt
                          : ttl_expires_at_even_if_suspended(j, s);
}

std::optional<time_point>
ttl_expires_at_even_if_suspended(const job& j, const job_status& s) {
  if (!s.completion_time || !j.policy.ttl_after_finished)
    return std::nullopt;
  auto up =
      add_unless_overflow(*s.completion_time, *j.policy.ttl_after_finished);
  return up ? std::optional{*up + time_point::duration{1}} : std::nullopt;
}

void delete_job_after_ttl(reconcile_context& ctx,
                          const std::optional<time_point>& end) {
  if (!end)
    return;
  if (ctx.now < *end)
    ctx.requeue_no_later_than(*end);
  else
    ctx.result.decisions.push_back(
        delete_job{ctx.job.uid, "ttlSecondsAfterFinished has passed"});
}

} // namespace troupe::core
