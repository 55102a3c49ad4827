#pragma once

#include "frameworks/core/model/status.hpp"
#include "k8s/objects.hpp"

#include <chrono>
#include <cstddef>
#include <optional>

namespace troupe::actors {

/// Measures how long a new job waits for its pods, and until it runs, from its
/// creationTimestamp on. Only jobs whose beginning this process has seen are
/// measured, and none that was suspended or has finished before. A value.
class job_startup {
public:
  using seconds = std::chrono::duration<double>;

  /// Each time is returned once.
  struct times {
    std::optional<seconds> to_all_pods;
    std::optional<seconds> to_running;
  };

  /// The job is new: it has no condition yet.
  void start_clock(k8s::time_point created) { created_ = created; }

  /// After a reconcile with this outcome; `pods` of the `wanted` ones exist.
  times take_startup_times(const core::job_status& status, std::size_t pods,
                           std::size_t wanted, k8s::time_point now);

private:
  std::optional<k8s::time_point> created_; ///< nullopt: nothing to measure.
  bool has_all_pods_ = false;
};

} // namespace troupe::actors
