#pragma once

#include "frameworks/core/model/status.hpp"
#include "frameworks/core/observed/observed.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace troupe::actors {

/// What the pods of one job did at what time, and the times of its conditions.
/// Times are those at which this process saw a change; of what was before, the
/// API server's. Bounded: of many pods, those that were deleted first are left
/// out. A value.
class job_timeline {
public:
  static constexpr std::size_t most_pods = 100;
  static constexpr std::size_t most_conditions = 32;
  static constexpr std::size_t most_attempts = 32;

  /// Records what has changed since the last call.
  void record_changes(const core::observed_children::children& pods,
                      const core::job_status& status, k8s::time_point now);

  /// {"since": ..., "pods": [...], "conditions": [...], "podsLeftOut": 0}; pods
  /// in the order of their creation, times in microseconds; "attempts", if the
  /// job was restarted: the latest ones, each with its cause.
  nlohmann::json report() const;

private:
  static constexpr std::int32_t no_exit_code =
      std::numeric_limits<std::int32_t>::min();

  /// A time of zero: it has not happened, or is not known.
  struct pod_life {
    std::uint64_t uid_hash = 0;
    std::string name;
    k8s::time_point created{};
    k8s::time_point scheduled{};
    k8s::time_point running{};
    k8s::time_point finished{};
    k8s::time_point deleted{};
    std::int32_t exit_code = no_exit_code;
    std::int32_t attempt = 0;
    k8s::pod_phase phase = k8s::pod_phase::pending;
    bool present = false; ///< Among the pods of the current call.
  };
  struct condition_mark {
    std::string type;
    k8s::time_point at;
  };
  struct attempt_mark {
    std::int32_t attempt = 0;
    core::last_restart cause;
  };

  pod_life* find_or_add_life_if_room(const core::child_view& pod);
  bool try_evict_deleted_pod();
  void record_pod_changes(pod_life& life, const core::child_view& pod,
                          bool is_new, k8s::time_point now);
  void record_new_true_conditions(const core::job_status& status);
  void record_attempt(const core::recovery_status& recovery);
  nlohmann::json attempts_json() const;

  k8s::time_point since_{};
  std::vector<pod_life> pods_; ///< By uid_hash.
  std::vector<condition_mark> conditions_;
  std::vector<attempt_mark> attempts_;
  std::size_t deleted_ = 0; ///< Of `pods_`.
  std::size_t deleted_left_out_ = 0;
  std::size_t present_left_out_ = 0;
};

} // namespace troupe::actors
