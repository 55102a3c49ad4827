#pragma once

#include "frameworks/core/progress/progress_policy.hpp"
#include "k8s/objects.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace troupe::core {

/// Since when a job is silent, as one process has seen it: kept in memory from
/// pass to pass. A process that begins does not know, so the time starts anew.
struct silence_clock {
  /// Since when all replicas run; nullopt: the time stands still.
  std::optional<k8s::time_point> running_since;
  std::int64_t container_restarts = 0; ///< Of its pods.
  /// Its program has told something since its pods began.
  bool has_told = false;
  /// Since when it tells nothing.
  k8s::time_point silent_since{};
  /// When it is stalled, if it still tells nothing.
  k8s::time_point due{};
  bool is_stalled = false;
};

bool operator==(const silence_clock& a, const silence_clock& b);

/// What a pass knows about it.
struct silence_facts {
  /// Every replica runs or is done, was told where to report unless a log tells
  /// it, and nothing stops or restarts the job.
  bool all_run = false;
  std::int64_t container_restarts = 0;
  /// When this process was told something last; 0: never.
  k8s::time_point told{};
  /// The same of all processes, by the saved status.
  k8s::time_point told_as_saved{};
  k8s::time_point latest_start{}; ///< Of its pods.
  /// When a report of any job could not be taken, because of us.
  k8s::time_point missed{};
  k8s::time_point now;
};

/// A pass that comes so much later than it was due says that the process, or
/// its machine, did not run, or that its clock was set.
inline constexpr std::chrono::seconds latest_pass_of_silence{30};

/// The clock after this pass; it stands still without `stalled_after`.
silence_clock follow_silence(const progress_policy& policy,
                             const silence_clock& before,
                             const silence_facts& now);

} // namespace troupe::core
