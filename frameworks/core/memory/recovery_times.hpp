#pragma once

#include "frameworks/core/model/status.hpp"
#include "frameworks/core/observed/observed.hpp"
#include "frameworks/core/recovery/restart_cause.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace troupe::core {

/// What a job makes of its time.
enum class job_activity : std::uint8_t {
  idle,        ///< It has not begun to run, is suspended, or has ended.
  all_running, ///< Every replica runs or is done.
  lost,        ///< It has begun, and a replica does not run.
};

job_activity activity_of(const job& j, const observed_children& seen,
                         const job_status& status);

/// How long a job did what, as far as this process has seen it.
struct activity_times {
  std::chrono::duration<double> all_running{0};
  std::chrono::duration<double> lost{0};
};

/// What is to be counted after a pass, once.
struct recovery_counts {
  struct restart {
    const char* scope = ""; ///< "Job" or "ReplicaType".
    restart_cause cause = restart_cause::failed;
  };
  std::optional<restart> restarted;
  /// From the failure until all replicas ran again.
  std::optional<std::chrono::duration<double>> recovered_after;
};

/// Finds in the statuses of a job what its attempts and its time were, between
/// passes. An attempt counts in the process that has decided it, when it is
/// saved: not in one that finds it in a saved status. A value.
class recovery_times {
public:
  /// After a pass that has decided `wanted`.
  recovery_counts record_pass(const job& j, const observed_children& seen,
                              const job_status& wanted, const job_status& saved,
                              time_point now);

  job_activity activity() const { return activity_; }
  activity_times times(time_point now) const;
  /// Since when the times are counted: when the job first ran, or when this
  /// process saw it run first; nullopt: it never did.
  std::optional<time_point> counted_since() const { return since_first_; }

private:
  void record_activity(job_activity next, time_point now);
  std::optional<recovery_counts::restart>
  take_saved_attempt(const recovery_status& wanted,
                     const recovery_status& saved, time_point now);
  std::optional<std::chrono::duration<double>>
  take_saved_recovery(const recovery_status& wanted,
                      const recovery_status& saved, time_point now);

  struct decided_attempt {
    std::int32_t attempt = 0;
    recovery_counts::restart what;
    time_point at{};
  };
  std::optional<decided_attempt> unsaved_;
  /// The attempt that has not recovered yet by the saved status, and since when
  /// the job waits for that; nullopt: none.
  struct open_recovery {
    std::int32_t attempt = 0;
    time_point failed_at{};
    std::optional<time_point> recovered_at; ///< As decided, not saved yet.
  };
  std::optional<open_recovery> open_;
  job_activity activity_ = job_activity::idle;
  time_point activity_since_{};
  std::optional<time_point> since_first_;
  activity_times past_;
};

} // namespace troupe::core
