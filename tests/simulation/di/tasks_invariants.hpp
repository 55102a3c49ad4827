#pragma once

#include "frameworks/core/pass/job_request.hpp"
#include "tests/simulation/di/task_manifest.hpp"
#include "tests/simulation/invariants.hpp"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace troupe::simulation {

/// What one process of the operator may know of a DIJob of tasks: what was true
/// at some time since it started.
struct tasks_knowledge {
  std::set<std::string> jobs; ///< UIDs.
  std::vector<task_manifest> manifests;
  bool over = false;                        ///< The job was when it began.
  std::set<std::string> phases_since_start; ///< Saved, of the latest job.
  std::set<std::string> phases; ///< That may be saved, of the latest job.
  /// Pods that had failed, by UID, in each state in which they were seen.
  std::map<std::string, std::vector<json>> failed;
  bool succeeded = false;         ///< A pod of the latest job has.
  std::set<std::string> ended;    ///< Pods that had when it began.
  std::set<std::string> running;  ///< Pods that had not, and still have not.
  std::set<std::string> orphaned; ///< Children that were the job's then.
};

/// The rules of DIJobs of tasks (v2alpha1).
class tasks_invariants : public invariant_checker {
public:
  using invariant_checker::invariant_checker;

  void child_orphaned(const json& object) override;
  void operator_started() override;
  void check_end_state() override;
  /// The answer when nothing else happens any more.
  void check_last_list(const core::job_response& r);

private:
  void record_change(const std::string& type, const std::string& plural,
                     const json& object) override;
  void check_creation(const std::string& plural, const std::string& key,
                      const json& body) override;
  void check_removal(const std::string& plural, const json& object,
                     const json& body) override;
  void check_job_removal(const json& body) override;
  void check_status(const json& old, const json& status) override;

  tasks_knowledge& present() { return known_[present_process()]; }
  const tasks_knowledge& writer() const { return known_.at(writing_process()); }
  /// Of the manifests that the writer may know.
  bool some(const std::function<bool(const task_manifest&)>& test) const;
  /// Whether the writer may have seen that the pod ended so.
  bool has_ended(const std::string& uid, pod_end how) const;

  void record_job(const std::string& type, const json& job);
  void record_spec(const json& spec);
  void record_pod(const std::string& type, const json& pod);
  void check_pod_creation(const json& pod);
  void check_pod_removal(const json& pod);
  bool may_clean_up(const json& pod) const;

  // Status.
  void check_phase(const json& before, const json& status);
  void check_counters(const json& before, const json& status);
  void check_conditions(const json& status);
  void check_failure(const json& status);
  void check_success();
  /// A pod that has failed, and that no restart has replaced yet.
  bool knows_failed_pod() const;

  // The end state.
  void check_finished_at_end(const task_manifest& m, const json& job);
  void check_unfinished_at_end(const task_manifest& m, const json& job);
  void check_counts_at_end(const task_manifest& m, const json& job);

  std::map<int, tasks_knowledge> known_; ///< By process.
  int status_writer_ = 0; ///< The process whose status is being saved.
  // Of the latest job.
  /// That ever counted: UIDs of pods, and how often each had recovered.
  std::set<std::pair<std::string, int>> failures_;
  std::set<std::string> failed_now_;      ///< UIDs of pods.
  std::map<std::string, int> recoveries_; ///< By UID of the pod.
  std::set<std::string> replaced_; ///< UIDs of those that a restart deleted.
};

} // namespace troupe::simulation
