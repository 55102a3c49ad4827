#include "actors/jobs/job_deletion.hpp"

#include "frameworks/core/base/retry.hpp"

namespace troupe::actors {

k8s::time_point
job_deletion::record_done_and_get_repeat_time(k8s::time_point now) {
  in_flight_ = false;
  return until_ = now + repeat_delay;
}

k8s::time_point job_deletion::record_failure_and_get_retry_time(
    const k8s::failure& why, k8s::time_point now, double jitter) {
  in_flight_ = false;
  return until_ = now + core::retry_delay_after(why, ++failures_, jitter);
}

} // namespace troupe::actors
