#include "actors/reports/log_course.hpp"

#include <algorithm>

namespace troupe::actors {

bool log_course::is_due(time_point now) const {
  // Whoever waits longer is not waiting for the pod.
  bool waits = now < due_ && !(pod_ended_ && !last_request_ && !forbidden_);
  return !open_ && !done_ && !waits;
}

void log_course::on_requested() {
  open_ = true;
  last_request_ = pod_ended_;
}

void log_course::on_bytes() {
  failures_ = 0;
  forbidden_ = false;
  problem_.clear();
}

void log_course::on_ended(const k8s::result<k8s::nothing>& result,
                          time_point now) {
  // It was silent for long.
  const auto how = !result && result.error().code == k8s::ec::timeout
                       ? k8s::result<k8s::nothing>{k8s::nothing{}}
                       : result;
  open_ = false;
  forbidden_ = !how && how.error().code == k8s::ec::forbidden;
  failures_ = how ? 0 : failures_ + 1;
  done_ = last_request_
          && (how || how.error().code == k8s::ec::not_found
              || failures_ >= most_failures);
  due_ = now + (forbidden_ ? wait_without_right : wait_);
  wait_ = std::min(2 * wait_, longest_wait);
  if (how)
    problem_.clear();
  else if (forbidden_)
    problem_ = "the operator may not read it; kubectl apply -k "
               "deploy/overlays/pod-logs grants it the right (get pods/log). "
               "The API server says: "
               + how.error().message;
  else if (failures_ >= most_failures)
    problem_ = "it is tried again: " + how.error().message;
}

} // namespace troupe::actors
