#pragma once

#include "actors/cli/progress/views.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace troupe::cli {

/// Something that has happened, for a person and for a program.
struct run_event {
  std::string text;       ///< A line.
  nlohmann::json details; ///< An object; `type` says of what.
};

using run_events = std::vector<run_event>;

/// Whether it warns; others tell what is normal.
bool is_warning(const run_event& e);

/// What is known of a running job from everything seen so far, as lines for a
/// person or a program. A value: no clock, no terminal.
class progress {
public:
  progress(std::string kind, std::string ns, std::string name);

  // Each function returns what changed; nothing if nothing did.
  run_events record_job(const nlohmann::json& job);
  run_events record_job_deleted();
  run_events record_pod(const nlohmann::json& pod);
  run_events record_pod_deleted(const nlohmann::json& pod);
  /// Reports only warnings, each once (the summary says how often each came),
  /// and where the volume of a claim is.
  run_events record_warning_or_claim_event(const nlohmann::json& event);

  /// Keeps the line for the summary, which has the last ones of each slot.
  void remember_last_log_line(const std::string& slot, const std::string& line);

  std::string title() const { return kind_ + " " + name_; }
  const job_view& job() const { return job_; }
  /// The existing pods, by slot.
  std::vector<replica_view> replicas() const;
  std::size_t pod_count() const { return pods_.size(); }
  /// Whether a replica cannot start on this machine, however often it is tried.
  bool has_permanent_start_error() const;

  /// What happened and what to try next. `logs` is where the logs are kept,
  /// "" if nowhere.
  std::vector<std::string> summary_lines(k8s::time_point now,
                                         const std::string& logs) const;
  /// The same for a program.
  nlohmann::json result_json(k8s::time_point now,
                             const std::string& logs) const;

private:
  run_event job_state_event() const;
  /// How far the program is, if it has told something new.
  void add_training_event(run_events& to, const training_view& before) const;
  /// Notes what has failed, and tells what runs in its place.
  void add_replacement_event(run_events& to, const replica_view& pod);
  /// "succeeded", "failed", ...
  std::string outcome_text() const;
  /// Whether a replica is one of the reasons why the job did not succeed.
  static bool contributed_to_failure(const replica_view& v);

  std::string kind_;
  std::string ns_;
  std::string name_;
  job_view job_;
  std::map<std::string, replica_view> pods_;   ///< By UID.
  std::map<std::string, replica_view> last_;   ///< By slot.
  std::map<std::string, replica_view> failed_; ///< By slot, until replaced.
  std::int64_t replaced_ = 0;                  ///< Failed pods, made again.
  std::map<std::string, std::vector<std::string>> tails_; ///< By slot.
  /// Line -> UID of an event -> how often that came.
  std::map<std::string, std::map<std::string, std::int64_t>> warnings_;
};

/// "Failed, exit code 3 (Error: ...), 2 restarts".
std::string describe_replica(const replica_view& v);

/// The exit code for an end: 0 succeeded, 1 otherwise.
int exit_code(job_end end);

} // namespace troupe::cli
