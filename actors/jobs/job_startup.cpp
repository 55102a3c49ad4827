#include "actors/jobs/job_startup.hpp"

#include <utility>

namespace troupe::actors {

namespace condition_type = core::condition_type;

job_startup::times
job_startup::take_startup_times(const core::job_status& status,
                                std::size_t pods, std::size_t wanted,
                                k8s::time_point now) {
  times result;
  if (!created_)
    return result;
  seconds passed = now - *created_;
  bool suspended = status.is_condition_true(condition_type::suspended);
  if (!suspended && pods >= wanted && !std::exchange(has_all_pods_, true))
    result.to_all_pods = passed;
  bool running = status.is_condition_true(condition_type::running);
  if (running)
    result.to_running = passed;
  if (running || suspended || status.is_finished())
    created_.reset();
  return result;
}

} // namespace troupe::actors
