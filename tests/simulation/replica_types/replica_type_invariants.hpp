#pragma once

#include "tests/simulation/invariants.hpp"
#include "tests/simulation/replica_types/attempt_ledger.hpp"
#include "tests/simulation/replica_types/kind_rules.hpp"

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
  /// By label, names of pods that ran.
  std::map<std::string, std::set<std::string>> ran;
  std::set<std::string> uids;     ///< Of the job.
  std::set<std::string> ended;    ///< Pods that have ended since then.
  std::set<std::string> orphaned; ///< Children that were the job's then.
  /// UIDs of jobs that had a pod group, and of those whose group Volcano has
  /// admitted.
  std::set<std::string> grouped;
  std::set<std::string> admitted;
  bool over = false;      ///< The job was when it began.
  bool suspended = false; ///< The status said so.
};

/// The rules of jobs that are maps of replica types.
class replica_type_invariants : public invariant_checker {
public:
  replica_type_invariants(const kind_rules& rules,
                          std::shared_ptr<simulated_api_server> api,
                          std::string job_key);

  void child_orphaned(const json& object) override;
  void operator_started() override;
  void check_end_state() override;
  /// A report of a pod.
  void report_taken(long long when) { ledger_.sign_of_life(when); }

private:
  void record_change(const std::string& type, const std::string& plural,
                     const json& object) override;
  void check_creation(const std::string& plural, const std::string& key,
                      const json& body) override;
  void check_removal(const std::string& plural, const json& object,
                     const json& body) override;
  void check_job_removal(const json& body) override;
  void check_status(const json& old, const json& status) override;
  void check_any_write(const std::string& key) override;
  void check_annotations(const json& body) override;
  void check_removal_at_once(const json& pod) override;

  void job_changed(const json& job, bool is_new);
  void pod_of_job_changed(const std::string& type, const json& pod);
  void pod_changed(const json& pod);
  void pod_group_changed();
  /// What the present process knows, and what the one knows whose write is
  /// checked.
  process_knowledge& present_knowledge() { return known_[present_process()]; }
  const process_knowledge& writer() const {
    return known_.at(writing_process());
  }
  /// Of the manifests that the writer may know.
  bool some(const std::function<bool(const manifest&)>& test) const;
  replica read(const json& pod) const;
  bool adoptable(const json& object) const;
  replica_list present_replicas() const;
  int true_restarts() const;
  static int restarts_of(const json& pod, const replica& r);

  // Writes.
  void check_pod_group_creation(const json& body);
  void check_gang_of_pod(const std::string& key, const json& pod);
  void check_replacement(const json& pod, const replica& r);
  void check_delay(const json& pod, const replica& r);
  bool may_clean_up(const std::string& plural, const json& object) const;
  void check_conditions(const json& status);
  void check_stall(const json& before, const json& status);
  int pods_that_ran(const std::string& label);
  void check_counts(const json& before, const json& status);
  void check_success();
  void check_attempt_of_new_pod(const std::string& key, const json& body);
  void check_completed(const json& status);
  /// Replicas that are done, by the saved status.
  replica_list completed_replicas() const;
  void check_failure(const json& status);
  bool is_failed_by_rule(const std::string& name);

  // The end state.
  void check_foreign_at_end(const json& job);
  void check_finished_at_end(const manifest& m, const json& job);
  void check_suspended_at_end(const json& job);
  void check_unfinished_at_end(const manifest& m, const json& job);
  void check_slots_at_end(const manifest& m, const char* plural);
  void check_attempts_at_end(const manifest& m);
  void check_silence_at_end(const manifest& m, const json& status);
  int completed_without_pod(const manifest& m, const std::string& type) const;
  void check_counts_at_end(const manifest& m, const json& job);
  void check_auxiliary_objects_at_end(const json& job);
  void check_pod_group_at_end(const manifest& m, const json& job);
  void check_autoscaler_at_end(const manifest& m, const json& job);
  /// Whether its pods wait until Volcano admits its pod group.
  bool gang_waits() const;
  void check_limits_at_end(const manifest& m, const json& job);
  void nothing_left(const char* why);

  const kind_rules& rules_;
  std::map<int, process_knowledge> known_; ///< By process.
  attempt_ledger ledger_;

  std::set<std::string> began_to_run_; ///< UIDs of pods.

  // What is true now.
  std::map<std::string, int> restarts_; ///< That count, by UID of the pod.
  int replacements_counted_ = 0;        ///< Restarts of replaced pods.
  int biggest_ = 0;                     ///< The most of one pod among these.
  int most_limit_ = 0;                  ///< That the job ever had.
};

} // namespace troupe::simulation
