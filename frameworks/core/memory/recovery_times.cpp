#include "frameworks/core/memory/recovery_times.hpp"

#include "frameworks/core/pass/desired_replicas.hpp"

#include <algorithm>
#include <utility>

namespace troupe::core {

namespace {

using seconds_passed = std::chrono::duration<double>;

/// The clock may be set back.
seconds_passed time_between(time_point from, time_point to) {
  return to > from ? seconds_passed{to - from} : seconds_passed{0};
}

bool has_begun_to_run(const job_status& s) {
  return s.is_condition_true(condition_type::running)
         || s.is_condition_true(condition_type::restarting);
}

} // namespace

job_activity activity_of(const job& j, const observed_children& seen,
                         const job_status& status) {
  if (status.is_finished() || !has_begun_to_run(status) || j.policy.suspend
      || status.is_condition_true(condition_type::suspended))
    return job_activity::idle;
  const auto& r = *status.recovery;
  // While an attempt is being stopped, its pods still run, for nothing.
  bool restarting = r.attempt > 0 && !r.last.recovered;
  return !restarting && do_all_run(j, seen, status) ? job_activity::all_running
                                                    : job_activity::lost;
}

recovery_counts recovery_times::record_pass(const job& j,
                                            const observed_children& seen,
                                            const job_status& wanted,
                                            const job_status& saved,
                                            time_point now) {
  record_activity(activity_of(j, seen, wanted), now);
  recovery_counts result;
  result.restarted = take_saved_attempt(*wanted.recovery, *saved.recovery, now);
  result.recovered_after =
      take_saved_recovery(*wanted.recovery, *saved.recovery, now);
  return result;
}

void recovery_times::record_activity(job_activity next, time_point now) {
  if (next == activity_)
    return;
  past_ = times(now);
  activity_ = next;
  activity_since_ = now;
  if (!since_first_)
    since_first_ = now;
}

activity_times recovery_times::times(time_point now) const {
  auto result = past_;
  auto passed = time_between(activity_since_, now);
  if (activity_ == job_activity::all_running)
    result.all_running += passed;
  else if (activity_ == job_activity::lost)
    result.lost += passed;
  return result;
}

std::optional<recovery_counts::restart>
recovery_times::take_saved_attempt(const recovery_status& wanted,
                                   const recovery_status& saved,
                                   time_point now) {
  if (wanted.attempt > saved.attempt) {
    if (!unsaved_ || unsaved_->attempt != wanted.attempt)
      unsaved_ = decided_attempt{
          wanted.attempt,
          {scope_of_attempt(wanted), cause_of_attempt(saved, wanted)},
          now};
    return std::nullopt;
  }
  auto decided = std::exchange(unsaved_, std::nullopt);
  // Another attempt than this one was written by somebody else.
  if (!decided || decided->attempt != saved.attempt)
    return std::nullopt;
  open_ = open_recovery{decided->attempt, decided->at, std::nullopt};
  return decided->what;
}

std::optional<std::chrono::duration<double>>
recovery_times::take_saved_recovery(const recovery_status& wanted,
                                    const recovery_status& saved,
                                    time_point now) {
  if (wanted.attempt != saved.attempt || wanted.attempt == 0)
    return std::nullopt;
  if (!open_ || open_->attempt != saved.attempt) {
    // An attempt of before this process began.
    if (!saved.last.recovered)
      open_ = open_recovery{saved.attempt, saved.last.time, std::nullopt};
    else
      open_.reset();
  }
  if (!open_)
    return std::nullopt;
  if (wanted.last.recovered && !open_->recovered_at)
    open_->recovered_at = now;
  if (!saved.last.recovered)
    return std::nullopt;
  auto recovery = *std::exchange(open_, std::nullopt);
  return time_between(recovery.failed_at, recovery.recovered_at.value_or(now));
}

} // namespace troupe::core
