#pragma once

#include "frameworks/core/recovery/course.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace troupe::core {

/// How far the latest restart of a job is, in numbers.
struct restart_progress {
  restart_stage stage = restart_stage::none;
  std::int32_t attempt = 0;       ///< The latest.
  std::int32_t older_attempt = 0; ///< That of the pods that have to go.
  std::int64_t older_running = 0; ///< Of these pods: those that have not ended.
  std::int64_t older_ended = 0;   ///< The others, which are still there.
  std::int64_t restarted = 0;     ///< Pods that the attempt will have.
  /// When the grace period of the last one is over; 0: the server has not told
  /// it of each.
  time_point last_leaves_by{};
  std::vector<std::string> nodes; ///< Of the pods that have not ended, sorted.
  /// Stage `stopped`: when pods are made, after attempts that ended early.
  std::optional<time_point> starts_at;
};

restart_progress progress_of_restart(const restart_state& s);

/// "3 of 8 pods of attempt 1 still run, the last may take until 12:01:00 UTC";
/// what else there is to say, or "" in the stages none and starting.
std::string describe_progress_of_restart(const restart_progress& p);

/// ", the last may take until 12:01:00 UTC"; "" if that is not known.
std::string last_end_clause(time_point last_leaves_by);

/// "12:01:00 UTC".
std::string utc_time_of_day(time_point t);

/// Pods of a job that may be restarted as a whole which were made before its
/// policy said so, and are restarted by their kubelet: of them, only the
/// failure of the whole pod is seen.
std::vector<const child_view*>
pods_made_before_policy(const job& j, const observed_children& seen);

} // namespace troupe::core
