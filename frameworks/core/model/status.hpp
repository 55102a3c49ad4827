#pragma once

#include "frameworks/core/base/shared_value.hpp"
#include "frameworks/core/model/job.hpp"
#include "frameworks/core/model/recovery_status.hpp"
#include "frameworks/core/progress/progress_status.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::core {

namespace condition_type {
inline constexpr const char* created = "Created";
inline constexpr const char* running = "Running";
inline constexpr const char* restarting = "Restarting";
inline constexpr const char* succeeded = "Succeeded";
inline constexpr const char* suspended = "Suspended";
inline constexpr const char* failed = "Failed";
inline constexpr const char* stalled = "Stalled";
} // namespace condition_type

/// Without fractions of a second, because statuses contain times to the second.
time_point truncate_to_seconds(time_point t);

/// One entry of status.conditions; their order is visible to clients.
struct condition {
  std::string type;
  bool status = true;
  std::string reason;
  std::string message;
  time_point updated{};
  time_point last_transition_time{};
};

struct replica_status {
  std::int32_t active = 0;
  std::int32_t succeeded = 0;
  std::int32_t failed = 0;
  std::string selector;
};

/// A pod that was replaced, and how often it counts against the backoff limit.
struct restart_record {
  std::string pod;
  std::string uid;
  std::int32_t count = 0;
};

/// What a kind counts whose jobs are restarted and rescheduled as a whole.
struct task_counts {
  std::int32_t replicas = 0; ///< As many pods as the tasks ask for.
  std::int32_t ready = 0;    ///< Pods all of whose containers are ready.
  std::int32_t restarts = 0;
  std::int32_t reschedules = 0;
  /// Pods by task ("collector") and phase ("Running").
  std::map<std::string, std::map<std::string, std::int32_t>> pods;
};

/// status of a job. All that must survive a restart of the operator is here.
struct job_status {
  std::vector<condition> conditions;
  std::map<std::string, replica_status> replicas; ///< By type, "Worker".
  std::optional<time_point> start_time;
  std::optional<time_point> completion_time;
  /// When the wait for its gang's admission began: lastReconcileTime.
  std::optional<time_point> gang_wait_since;
  std::vector<restart_record> restarts;
  std::string phase; ///< Of kinds whose status has one.
  task_counts tasks; ///< Of kinds whose jobs have tasks.
  /// Attempts of the job, and replicas that are done.
  shared_value<recovery_status> recovery;
  /// What its program told last of how far it is.
  shared_value<progress_status> progress;

  const condition* find_condition(std::string_view type) const;
  /// Whether the condition is there and True.
  bool is_condition_true(std::string_view type) const;
  bool is_finished() const;
  /// The type of the last condition that is true, "" if there is none.
  std::string_view latest_true_condition() const;

  /// Whether nothing has happened since the job was resumed.
  bool has_no_condition_since_resume() const;

  /// Makes Created the last condition of a resumed job that waits: clients show
  /// the last condition as the state, and Suspended=False is no state. Created
  /// is the first again when the next condition is set.
  void put_created_condition_last();

  /// Makes this condition the first one but Created: clients show the last
  /// condition as the state, and Stalled=False is no state.
  void put_condition_first(std::string_view type);

  /// Sets a condition by the rules of training-operator v1 (order, times, what
  /// replaces what; Failed is final). Returns whether anything changed.
  bool set_condition(std::string_view type, bool value, std::string reason,
                     std::string message, time_point now);

  /// Another message for a condition that stays as it is otherwise.
  void replace_condition_message(std::string_view type, std::string message,
                                 time_point now);
};

/// Equal in everything that is written, times to the second.
bool operator==(const job_status& a, const job_status& b);
inline bool operator!=(const job_status& a, const job_status& b) {
  return !(a == b);
}

/// Statuses of one job are mostly equal: the one wanted, the one that is
/// written, the one on the server.
using shared_status = shared_value<job_status>;

/// JSON text <-> status. Reading is total: what is not understood is empty.
std::string encode_status(const job_status& s);
job_status decode_status(std::string_view json);

bool same_restarts(const job_status& a, const job_status& b);

/// Whether nothing but the progress differs: such a write is in no hurry.
bool differ_only_in_progress(const job_status& a, const job_status& b);

/// When the desired status must be written over `saved`: never (nullopt), now,
/// or later because only counts differ and the last write was less than
/// `between` ago.
std::optional<time_point> status_write_due_at(
    const job_status& saved, const job_status& wanted, time_point last_write,
    time_point now,
    std::chrono::milliseconds between = std::chrono::seconds{1});

} // namespace troupe::core
