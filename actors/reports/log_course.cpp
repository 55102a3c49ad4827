#include "actors/reports/log_course.hpp"

#include "k8s/json.hpp"

#include <algorithm>

namespace troupe::actors {

bool log_course::is_due(time_point now) const {
  // Whoever waits longer is not waiting for the pod.
  bool waits = now < due_ && !(pod_ended_ && !last_request_ && !forbidden_);
  return !open_ && !done_ && !waits;
}

void log_course::on_requested() {
  open_ = true;
  opened_.reset();
  last_request_ = pod_ended_;
}

void log_course::note_read() {
  failures_ = 0;
  forbidden_ = false;
  problem_.clear();
}

void log_course::on_news() {
  note_read();
  wait_ = first_wait;
}

void log_course::on_time(time_point now) {
  if (open_ && opened_ && now - *opened_ >= steady_time)
    note_read();
}

void log_course::on_ended(const k8s::result<k8s::nothing>& result,
                          time_point now) {
  on_time(now);
  // It was silent for long.
  const auto how = !result && result.error().code == k8s::ec::timeout && opened_
                       ? k8s::result<k8s::nothing>{k8s::nothing{}}
                       : result;
  open_ = false;
  forbidden_ = !how && how.error().code == k8s::ec::forbidden;
  failures_ += how ? 0 : 1;
  done_ = last_request_
          && (how || how.error().code == k8s::ec::not_found
              || failures_ >= most_failures);
  due_ = now + (forbidden_ ? wait_without_right : wait_);
  wait_ = std::min(2 * wait_, longest_wait);
  if (how && done_)
    problem_.clear();
  else if (forbidden_)
    problem_ = "the operator may not read it; kubectl apply -k "
               "deploy/overlays/pod-logs grants it the right (get pods/log). "
               "The API server says: "
               + how.error().message;
  else if (!how && failures_ >= most_failures)
    problem_ = "it is tried again: " + how.error().message;
}

k8s::result<k8s::nothing> check_pod_of_log(const k8s::result<std::string>& pod,
                                           const std::string& expected_uid) {
  // It has gone since; no other has taken its place.
  if (!pod && pod.error().code == k8s::ec::not_found)
    return k8s::nothing{};
  // Not forbidden: that is said of the log.
  if (!pod)
    return k8s::failure{k8s::ec::unreachable,
                        "the pod cannot be read, so nobody knows whose log it "
                        "is: "
                            + pod.error().message};
  if (k8s::text_at(k8s::parse_json_or_null(*pod), {"metadata", "uid"})
      != expected_uid)
    return k8s::failure{k8s::ec::not_found,
                        "the pod of this name is another one by now"};
  return k8s::nothing{};
}

} // namespace troupe::actors
