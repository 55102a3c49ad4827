#pragma once

#include "actors/base/own_report.hpp"
#include "actors/base/protocols.hpp"
#include "actors/jobs/timer_list.hpp"

#include <unordered_map>
#include <vector>

namespace troupe::actors {

/// Keeps the timers of the supervisors. A delayed message of the actor system
/// cannot be taken back, and keeps its receiver in memory until it comes: for
/// minutes or days after the job has gone. A timer here ends with its owner.
class job_timers_state {
public:
  static inline const char* name = "job-timers";

  explicit job_timers_state(job_timers_actor::pointer self)
      : self_(self) {}

  void on_set_timer(const set_timer& t);
  void on_cancel_timer(const cancel_timer& c);
  void on_wake();
  report_ptr report() const;

private:
  /// Sets a delayed message for the next timer, unless one comes before.
  void schedule_wake_for_next_timer();

  job_timers_actor::pointer self_;
  timer_list timers_;
  std::unordered_map<caf::actor_id, timer_owner_actor> owners_;
  std::vector<timer_list::time_point> wakes_; ///< To come, the next one last.
};

job_timers_actor::behavior_type
job_timers(self_pointer<job_timers_actor, job_timers_state> self);

} // namespace troupe::actors
