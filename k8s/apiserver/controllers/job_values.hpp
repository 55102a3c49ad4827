#pragma once

#include "k8s/json.hpp"
#include "k8s/objects.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace troupe::k8s::apiserver {

/// Holds a Job's pod until the Job's status has counted it.
inline constexpr const char* job_tracking_finalizer =
    "batch.kubernetes.io/job-tracking";

/// The index of a pod of an Indexed Job: an annotation and a label.
inline constexpr const char* job_index_key =
    "batch.kubernetes.io/job-completion-index";

/// What the Job controller reads of a Job's pod.
struct job_pod {
  enum class phase : std::uint8_t { pending, running, succeeded, failed };

  std::string name;
  std::string uid;
  phase is = phase::pending;
  bool is_tracked = false; ///< Has the finalizer.
  bool is_terminating = false;
  bool is_let_go = false; ///< Terminating, and only finalizers hold it.
  bool is_ready = false;
  std::int64_t restarts = 0; ///< Of its containers.
  int index = -1;            ///< -1: it has none.
  time_point created;
  time_point finished; ///< Of an ended pod.
  /// Of a failed pod: containers that ended with an error, and conditions.
  std::vector<std::pair<std::string, std::int64_t>> exit_codes;
  std::vector<std::pair<std::string, std::string>> conditions;

  bool is_terminal() const {
    return is == phase::succeeded || is == phase::failed;
  }
  bool is_active() const { return !is_terminal() && !is_terminating; }
  bool is_on_its_way_out() const {
    return is_terminating && !is_terminal() && !is_let_go;
  }
};

job_pod read_job_pod(const json& pod);

/// What the Job controller reads of a Job's spec.
struct job_spec {
  std::int64_t parallelism = 1;
  std::optional<std::int64_t> completions;
  std::int64_t backoff_limit = 6;
  std::optional<std::chrono::seconds> deadline;
  std::optional<std::chrono::seconds> time_to_live;
  bool is_suspended = false;
  bool is_indexed = false;
  bool restarts_on_failure = false;
  /// Whether a pod is replaced only after it has ended.
  bool replaces_ended_pods_only = false;
  json failure_rules = json::array(); ///< Of the podFailurePolicy.
};

job_spec read_job_spec(const json& job);

/// Whether the Job names another controller.
bool is_job_managed_elsewhere(const json& job);

/// The UID of the Job that controls the pod; "" if none does.
std::string controlling_job_uid(const json& pod);

/// How often, and when, pods failed since one succeeded.
struct job_back_off {
  std::int64_t failures = 0;
  time_point last;

  /// Counts pods that have ended.
  void add_ended_pods(const std::vector<const job_pod*>& succeeded,
                      const std::vector<const job_pod*>& failed);
  /// When the next pod may be made: 10 s after the first failure, and twice as
  /// long after each other one, up to six minutes.
  time_point next_creation() const;
};

} // namespace troupe::k8s::apiserver
