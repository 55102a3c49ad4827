#pragma once

#include "k8s/apiserver/controllers/job_values.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe::k8s::apiserver {

/// An event about a Job.
struct job_event {
  bool is_warning = false;
  std::string reason;
  std::string message;
};

/// What the Job controller has to do. In this order: pods are removed and
/// created, and everything is looked at again if there were any; then the
/// status is written; then pods are released, and everything is looked at
/// again.
struct job_plan {
  /// Names of pods to delete.
  std::vector<std::string> remove;
  /// Of these, and of the others, those that lose the finalizer first, because
  /// they do not count.
  std::vector<std::string> remove_uncounted;
  /// The indexes of pods to create; -1 for a pod without one.
  std::vector<int> create;
  json status; ///< As it has to be.
  /// Names of pods that lose the finalizer once the status is written.
  std::vector<std::string> release;
  std::vector<job_event> events; ///< About the status; once it is written.
  job_back_off back_off;         ///< Once the status is written.
  /// When to look at the Job again, even if nothing changes.
  std::optional<time_point> look_again;
  bool is_job_removed = false; ///< Its time to live is over.
};

/// Decides about a Job. `pods` are those that it controls and that have not
/// ended, or that have the finalizer.
job_plan plan_job(const json& job, const std::vector<job_pod>& pods,
                  const job_back_off& back_off, time_point now);

} // namespace troupe::k8s::apiserver
