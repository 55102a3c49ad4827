#pragma once

#include "k8s/objects.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace troupe::cli {

/// What a person wants to know of one pod of the job.
struct replica_view {
  std::string pod; ///< "mnist-worker-0".
  std::string uid;
  std::string slot;    ///< "worker-0"; the pod's name if it has no labels.
  std::string type;    ///< "worker".
  std::string attempt; ///< Of the job, in which it was made; "" if it has none.
  std::int64_t index = 0;
  std::string container; ///< The main container: the first of the spec.
  /// The phase of the API; "Ending" while the pod is being deleted; "Stopped"
  /// if its deletion has ended it.
  std::string phase;
  std::int64_t restarts = 0;
  std::optional<std::int64_t> exit_code; ///< Of the main container's last end.
  std::string reason;  ///< Why it waits or ended, if that is worth a word.
  std::string message; ///< The same at length.
  /// Why this machine can never start the pod; "" if it can.
  std::string start_error;
  std::optional<k8s::time_point> started;
  std::optional<k8s::time_point> ended;
  /// Changes with every life of the main container that has a log; "" while
  /// there is no log.
  std::string log_of;
};

/// Reads a pod.
replica_view parse_replica_view(const nlohmann::json& pod);

/// Removes from a pod what parse_replica_view() does not read: the spec except
/// the name of the first container, and the managed fields.
void drop_unread_pod_fields(nlohmann::json& pod);

enum class job_end : std::uint8_t { open, succeeded, failed, deleted };

/// How often the whole job, or replica types of it, or pods were restarted.
struct attempt_view {
  std::int64_t attempt = 0;         ///< The latest; 0: the first.
  std::string types;                ///< "Worker", if only these were restarted.
  std::int64_t of_pods = 0;         ///< Of pods alone, by the status.
  std::int64_t counted = 0;         ///< Restarts that count against `most`.
  std::optional<std::int64_t> most; ///< maxRestarts, or else backoffLimit.
  bool most_of_pods = false;        ///< Restarts of pods count against it, too.
  std::string window;               ///< "6h", if only the last ones count.
  std::optional<k8s::time_point> began;     ///< When its cause was seen.
  std::optional<k8s::time_point> recovered; ///< When all replicas ran again.
  std::chrono::seconds pause{
      0}; ///< Before it, after attempts that ended early.
};

/// How far the program is, as it has told last.
struct training_view {
  std::optional<std::int64_t> percent;
  std::optional<std::int64_t> remaining_seconds;
  std::vector<std::pair<std::string, std::string>> metrics; ///< Name, value.
  std::string time;   ///< When it told it; "": it has told nothing.
  std::string source; ///< The pod that told it.
};

/// "45%, 3m left, loss 0.2347"; "" if nothing was told.
std::string describe_training(const training_view& v);

/// What a person wants to know of the job.
struct job_view {
  attempt_view attempt;
  training_view training;
  job_end end = job_end::open;
  std::string state;   ///< The last condition that is true, "" at first.
  std::string reason;  ///< Of that condition.
  std::string message; ///< Of that condition.
  std::optional<k8s::time_point> started;
  std::optional<k8s::time_point> ended;
};

job_view parse_job_view(const nlohmann::json& job);

} // namespace troupe::cli
