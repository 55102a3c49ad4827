#include "actors/jobs/job_timers.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace troupe::actors {

void job_timers_state::on_set_timer(const set_timer& t) {
  owners_[t.owner.id()] = t.owner;
  timers_.set(t.owner.id(), t.due, t.timer);
  schedule_wake_for_next_timer();
}

void job_timers_state::on_cancel_timer(const cancel_timer& c) {
  timers_.cancel(c.owner);
  owners_.erase(c.owner);
}

void job_timers_state::on_wake() {
  wakes_.pop_back();
  for (const auto& due : timers_.take_due(self_->clock().now())) {
    auto owner = owners_.find(due.owner);
    self_->send(owner->second, timer_fired{due.timer});
    owners_.erase(owner);
  }
  schedule_wake_for_next_timer();
}

void job_timers_state::schedule_wake_for_next_timer() {
  auto due = timers_.next_due();
  if (!due || (!wakes_.empty() && wakes_.back() <= *due))
    return;
  wakes_.push_back(*due);
  auto delay =
      std::max(*due - self_->clock().now(), caf::actor_clock::duration_type{0});
  self_->delayed_send(self_, delay, timer_fired{});
}

report_ptr job_timers_state::report() const {
  auto out = own_report(*self_, {{"timers", timers_.size()}});
  return std::make_shared<const nlohmann::json>(std::move(out));
}

job_timers_actor::behavior_type
job_timers(self_pointer<job_timers_actor, job_timers_state> self) {
  return {
      [self](get_report) { return self->state.report(); },
      [self](get_tree) { return self->state.report(); },
      [self](const set_timer& t) { self->state.on_set_timer(t); },
      [self](const cancel_timer& c) { self->state.on_cancel_timer(c); },
      [self](const timer_fired&) { self->state.on_wake(); },
  };
}

} // namespace troupe::actors
