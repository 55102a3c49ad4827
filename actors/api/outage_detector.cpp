#include "actors/api/outage_detector.hpp"

#include "frameworks/core/base/retry.hpp"

#include <utility>

namespace troupe::actors {

outage_detector::step outage_detector::on_result(const k8s::failure* why) {
  step next;
  if (why && why->code == k8s::ec::cancelled)
    return next; // We cancelled it.
  if (!why || !core::may_be_outage(why->code)) {
    failures_ = 0;
    if (holds_calls()) {
      next = on_available();
      next.dismiss_probe = true;
    }
    return next;
  }
  ++failures_;
  bool unreachable = why->code == k8s::ec::unreachable;
  if (unreachable && !away_)
    awaits_probe_ = true;
  if (unreachable || failures_ >= most_errors_)
    next.ask_probe = !std::exchange(suspected_, true);
  return next;
}

outage_detector::step outage_detector::on_unavailable(bool answers) {
  step next;
  if (!suspected_)
    return next; // A call has succeeded since the probe was asked.
  away_ = true;
  awaits_probe_ = false;
  bool had_trials = std::exchange(trials_, answers);
  next.begin_trials = trials_ && !had_trials;
  return next;
}

outage_detector::step outage_detector::on_available() {
  step next;
  next.send_waiting = holds_calls();
  next.outage_is_over = away_;
  *this = outage_detector{most_errors_};
  return next;
}

} // namespace troupe::actors
