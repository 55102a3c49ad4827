#pragma once

#include "actors/cli/progress/views.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace troupe::cli {

/// A state, from the time when it was first seen until another one was seen.
struct timeline_span {
  std::string state; ///< A pod's phase, or a condition of the job.
  std::string note;  ///< More about the state: "exit code 3".
  k8s::time_point begin;
  std::optional<k8s::time_point> end; ///< nullopt: it goes on.
};

/// The life of the job, or of one pod.
struct timeline_row {
  std::string name; ///< "worker-0".
  std::vector<timeline_span> spans;
};

/// Which states a job and its pods had, and when. A value: no clock.
class timeline {
public:
  struct warning {
    k8s::time_point at;
    std::string text;
  };

  timeline(std::string kind, std::string name);

  void record_job(const job_view& job, k8s::time_point now);
  void record_pod(const replica_view& pod, k8s::time_point now);
  void record_pod_deleted(const std::string& uid, k8s::time_point now);
  void record_warning(std::string text, k8s::time_point now);

  std::string title() const { return kind_ + " " + name_; }
  const timeline_row& job_timeline_row() const { return job_; }
  /// Sorted by replica type, index and time.
  std::vector<timeline_row> pod_rows() const;
  const std::vector<warning>& recorded_warnings() const { return warnings_; }

private:
  struct pod_row {
    std::string type;
    std::int64_t index = 0;
    std::int64_t restarts = 0;
    timeline_row row;
  };

  std::string kind_;
  std::string name_;
  timeline_row job_;
  std::map<std::string, pod_row> pods_; ///< By UID.
  std::vector<warning> warnings_;
};

} // namespace troupe::cli
