#pragma once

#include "frameworks/core/base/index_ranges.hpp"
#include "k8s/objects.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace troupe::core {

/// A larger number of an attempt was not written by us.
inline constexpr std::int32_t max_restart_attempt = 1'000'000'000;

/// Why and when the latest attempt began: status.lastRestart.
struct last_restart {
  k8s::time_point time{};
  /// Of the end of the pod that caused it: "OOMKilled", "Error", "Evicted",
  /// "NodeLost", "Deleted"; "Stalled" of a job that told nothing.
  std::string reason;
  std::string pod;  ///< Its name, or "".
  std::string node; ///< The pod's; "": unknown, or it had none.
  std::string type; ///< "Worker", if only this type was restarted; else "".
  /// Attempts up to the one before, in a row, that ended within 10 s of their
  /// last pod's start: they delay this one.
  std::int32_t early_ends = 0;
  /// When every replica ran again, if it was so.
  std::optional<k8s::time_point> recovered;
};

/// The part of a job's status that is about attempts and replicas that are
/// done. Where the job's definition has no such fields, an annotation of the
/// job has them.
struct recovery_status {
  std::int32_t attempt = 0; ///< status.restartAttempt; 0: the first.
  /// The attempt of the pods of a type that is not of the latest attempt,
  /// because that restarted others: replicaStatuses[*].restartAttempt.
  std::map<std::string, std::int32_t> type_attempts;
  last_restart last;        ///< Meaningless while `attempt` is 0.
  std::int32_t counted = 0; ///< Restarts that count against the budget.
  /// When those were that are in the policy's window; empty without one.
  std::vector<k8s::time_point> counted_times;
  /// By type: the replicas whose success was seen. They are not made again.
  std::map<std::string, index_ranges> completed;

  std::int32_t attempt_of(const std::string& type) const {
    auto i = type_attempts.find(type);
    return i == type_attempts.end() ? attempt : i->second;
  }
  const index_ranges& completed_of(const std::string& type) const;
};

// Times are compared to the second, as they are written.

/// Equal in everything that decides; `completed` and `recovered` may differ.
bool same_attempts(const recovery_status& a, const recovery_status& b);
/// Equal in `completed` and `recovered`.
bool same_progress(const recovery_status& a, const recovery_status& b);
inline bool operator==(const recovery_status& a, const recovery_status& b) {
  return same_attempts(a, b) && same_progress(a, b);
}
inline bool operator!=(const recovery_status& a, const recovery_status& b) {
  return !(a == b);
}

} // namespace troupe::core
