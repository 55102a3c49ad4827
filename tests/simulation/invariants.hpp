#pragma once

#include "tests/simulation/kind_rules.hpp"
#include "tests/simulation/simulated_api_server.hpp"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace troupe::simulation {

/// What one process of the operator may know: what was true at some time since
/// it started.
struct process_knowledge {
  std::vector<manifest> manifests;
  replica_list replicas;
  std::set<std::string> uids;     ///< Of the job.
  std::set<std::string> ended;    ///< Pods that have ended since then.
  std::set<std::string> orphaned; ///< Children that were the job's then.
  /// UIDs of jobs that had a pod group, and of those whose group Volcano has
  /// admitted.
  std::set<std::string> grouped;
  std::set<std::string> admitted;
  bool over = false; ///< The job was when it began.
};

/// Checks every write of the operator before it takes effect, and the end
/// state. A write must follow from what the process that sent it may know, also
/// if it takes effect after that process has ended.
class invariant_checker {
public:
  invariant_checker(const kind_rules& rules,
                    std::shared_ptr<simulated_api_server> api,
                    std::string job_key);

  // -- what happened ----------------------------------------------------------
  void job_changed();                       ///< Or was made, or removed.
  void pod_changed(const std::string& key); ///< By anybody.
  void pod_group_changed();                 ///< By its scheduler.
  void child_orphaned(const json& object);  ///< It was the job's before.
  void operator_started(); ///< It knows only what is there now.
  void faults_stopped();   ///< From now on no call fails.
  void operator_writes(const k8s::request& r, const std::string& plural,
                       const std::string& key, const json& body);

  // -- what is wrong ----------------------------------------------------------
  /// All that were found so far.
  const std::vector<std::string>& violations() const { return violations_; }
  /// To be called when nothing happens any more.
  void check_end_state();
  /// How many calls of the operator were writes, without events.
  int writes() const { return writes_; }

private:
  void report_violation(std::string what);
  /// What the present process knows, and what the one knows whose write is
  /// checked.
  process_knowledge& present_process() { return known_[api_->process()]; }
  const process_knowledge& writer() const {
    return known_.at(writing_process_);
  }
  /// Of the manifests that the writer may know.
  bool some(const std::function<bool(const manifest&)>& test) const;
  const json* job() const { return api_->find(rules_.plural(), job_key_); }
  long long now() const;
  replica read(const json& pod) const;
  bool ours(const json& object) const;
  bool adoptable(const json& object) const;
  replica_list present() const;
  int true_restarts() const;
  static int restarts_of(const json& pod, const replica& r);

  // Writes.
  void check_creation(const std::string& plural, const std::string& key,
                      const json& body);
  void check_pod_group_creation(const json& body);
  void check_gang_of_pod(const std::string& key, const json& pod);
  void check_removal(const std::string& plural, const json& object,
                     const json& body);
  void check_replacement(const json& pod, const replica& r);
  void check_delay(const json& pod, const replica& r);
  bool may_clean_up(const std::string& plural, const json& object) const;
  void check_job_removal(const json& body);
  void check_status(const json& old, const json& status);
  void check_conditions(const json& status);
  void check_counts(const json& before, const json& status);
  void check_success();
  void check_failure(const json& status);

  // The end state.
  void check_foreign_at_end(const json& job);
  void check_finished_at_end(const manifest& m, const json& job);
  void check_suspended_at_end(const json& job);
  void check_unfinished_at_end(const manifest& m, const json& job);
  void check_slots_at_end(const manifest& m, const char* plural);
  void check_counts_at_end(const manifest& m, const json& job);
  void check_auxiliary_objects_at_end(const json& job);
  void check_pod_group_at_end(const manifest& m, const json& job);
  void check_autoscaler_at_end(const manifest& m, const json& job);
  /// Whether its pods wait until Volcano admits its pod group.
  bool gang_waits() const;
  void check_limits_at_end(const manifest& m, const json& job);
  void nothing_left(const char* why);

  const kind_rules& rules_;
  std::shared_ptr<simulated_api_server> api_;
  std::string job_key_;

  std::map<int, process_knowledge> known_; ///< By process.
  int writing_process_ = 1;                ///< See writer().

  // What is true now.
  std::string uid_;                     ///< Of the job.
  std::map<std::string, int> restarts_; ///< That count, by UID of the pod.
  int replacements_counted_ = 0;        ///< Restarts of replaced pods.
  int biggest_ = 0;                     ///< The most of one pod among these.
  int most_limit_ = 0;                  ///< That the job ever had.
  long long faults_stopped_at_ = 0;
  int writes_ = 0;
  std::vector<std::string> violations_;
};

/// Seconds since 1970 of an RFC 3339 time; 0 if it is none.
long long seconds_of(const json& time);

} // namespace troupe::simulation
