#pragma once

#include "actors/cli/views.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace troupe::cli {

/// What is known of a running job, folded from what was seen, and how it is
/// told. A value: no clock, no terminal.
class progress {
public:
  progress(std::string kind, std::string ns, std::string name);

  // Each returns the lines that tell what changed; none if nothing did.
  std::vector<std::string> job_seen(const nlohmann::json& job);
  std::vector<std::string> job_deleted();
  std::vector<std::string> lines_after_pod_update(const nlohmann::json& pod);
  std::vector<std::string> lines_after_pod_deletion(const nlohmann::json& pod);
  /// Only warnings are worth a line, each of them once.
  std::vector<std::string> lines_after_event(const nlohmann::json& event);

  /// Remembered for the end.
  void keep_log_tail_line(const std::string& pod, const std::string& line);

  const job_view& job() const { return job_; }
  /// The pods there are, by slot.
  std::vector<replica_view> replicas() const;
  /// Of pods that are gone, too: the last one of each slot.
  const std::map<std::string, replica_view>& last_seen() const { return last_; }
  std::size_t pods() const { return pods_.size(); }

  /// The table for a terminal: a head and a line for each replica, at most
  /// `height` lines of at most `width` columns.
  std::vector<std::string> table(k8s::time_point now, std::size_t width,
                                 std::size_t height) const;

  /// What happened and what to try next. `logs` is where the logs are kept,
  /// "" if nowhere.
  std::vector<std::string> summary(k8s::time_point now,
                                   const std::string& logs) const;

private:
  std::string kind_;
  std::string ns_;
  std::string name_;
  job_view job_;
  std::map<std::string, replica_view> pods_;              ///< By UID.
  std::map<std::string, replica_view> last_;              ///< By slot.
  std::map<std::string, std::vector<std::string>> tails_; ///< By slot.
  std::map<std::string, std::string> events_;
};

/// The exit code for an end: 0 succeeded, 1 otherwise.
int exit_code(job_end end);

} // namespace troupe::cli
