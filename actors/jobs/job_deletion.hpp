#pragma once

#include "k8s/objects.hpp"
#include "k8s/result.hpp"

#include <chrono>
#include <optional>

namespace troupe::actors {

/// When a supervisor deletes its job: one call at a time, and none for a while
/// after an answer. A value; time and randomness are arguments.
class job_deletion {
public:
  /// After a deletion that was accepted: if the job is still there then, it is
  /// deleted again.
  static constexpr std::chrono::minutes repeat_delay{5};

  bool is_in_flight() const { return in_flight_; }

  /// Not before then; nullopt: now.
  std::optional<k8s::time_point> delayed_until(k8s::time_point now) const {
    return until_ > now ? std::optional{until_} : std::nullopt;
  }

  void begin() { in_flight_ = true; }
  /// Return when the next one may be sent. `jitter` in [0, 1).
  k8s::time_point record_done_and_get_repeat_time(k8s::time_point now);
  k8s::time_point record_failure_and_get_retry_time(const k8s::failure& why,
                                                    k8s::time_point now,
                                                    double jitter);

private:
  k8s::time_point until_{};
  int failures_ = 0;
  bool in_flight_ = false;
};

} // namespace troupe::actors
