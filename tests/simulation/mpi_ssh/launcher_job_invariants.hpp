#pragma once

#include "tests/simulation/invariants.hpp"
#include "tests/simulation/silence_ledger.hpp"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace troupe::simulation {

inline constexpr const char* launcher_job_key = "ns/job-launcher";

/// Whether a pod has the condition Ready.
bool has_ready_condition(const json& pod);
/// Whether it was taken away by the cluster.
bool is_disrupted(const json& pod);
/// Whether a Job is complete or has failed.
bool has_job_ended(const json& batch_job);
/// How many workers the spec asks for.
int worker_count_of(const json& spec);
/// Whether the spec has a policy that restarts more than a pod.
bool has_policy(const json& spec);
/// What it says of silence.
recovery_policy policy_on_silence(const json& spec);
/// The number at the end of a worker's name.
int worker_index_of(const json& pod);

/// What one process of the operator may know of an MPIJob of v2beta1: what was
/// true at some time since it started.
struct launcher_job_knowledge {
  std::set<std::string> jobs; ///< UIDs.
  std::vector<json> specs;
  bool over = false;              ///< The job was when it began.
  bool launcher_was_lost = false; ///< It had a Job, which was gone then.
  bool launcher_complete = false;
  bool launcher_failed = false;
  std::set<std::string> failed;   ///< Workers that had, by UID.
  std::set<std::string> pods;     ///< That were there when it began, by UID.
  std::set<std::string> orphaned; ///< Children that were the job's then.
};

/// The rules of MPIJobs of v2beta1.
class launcher_job_invariants : public invariant_checker {
public:
  using invariant_checker::invariant_checker;

  void child_orphaned(const json& object) override;
  void operator_started() override;
  void check_end_state() override;
  /// At that time a report was taken.
  void report_taken(long long when) { silence_.sign_of_life(when); }

private:
  void record_change(const std::string& type, const std::string& plural,
                     const json& object) override;
  void check_creation(const std::string& plural, const std::string& key,
                      const json& body) override;
  void check_removal(const std::string& plural, const json& object,
                     const json& body) override;
  void check_job_removal(const json& body) override;
  void check_status(const json& old, const json& status) override;

  launcher_job_knowledge& present() { return known_[present_process()]; }
  const launcher_job_knowledge& writer() const {
    return known_.at(writing_process());
  }
  /// Of the specs that the writer may know.
  bool some(const std::function<bool(const json& spec)>& test) const;

  void record_job(const std::string& type, const json& job);
  void record_launcher(const json& batch_job);
  void record_pod(const json& pod);
  bool is_of_gone_launcher(const json& pod) const;
  void check_attempt_of_creation(const json& body);
  void check_launcher_removal(const json& launcher);
  void check_attempts(const json& old, const json& status);
  bool may_be_stalled(long long then, const std::string& action) const;
  void check_stall(const json& before, const json& status);
  /// `failed`: the condition.
  bool is_stalled_failure(const json& failed) const;
  void check_silence_at_end(const json& spec, const json& status);
  void check_attempts_at_end(const json& status);
  bool is_known_to_writer(const std::string& key, const json& pod) const;
  void check_worker_creation(const json& pod);
  void check_worker_removal(const json& pod);
  void check_failure(const json& status);

  // The end state.
  void check_finished_at_end(const json& spec);
  void check_suspended_at_end(const json& status);
  int done_without_pod(const json& job) const;
  void check_workers_at_end(const json& spec);
  void check_launcher_at_end(const json& spec, const json& status);
  void check_counts_at_end(const json& spec, const json& status);

  std::map<int, launcher_job_knowledge> known_; ///< By process.
  /// By key of a worker, or UID of its Job: the process that made it.
  std::map<std::string, int> makers_;
  /// Made of a Job that was gone, which nobody can foresee: by UID.
  std::set<std::string> late_pods_;
  /// Attempts of which a pod, or the Job, has failed.
  std::set<int> failed_attempts_;
  silence_ledger silence_;
  std::set<std::string> began_to_run_; ///< Pods, by UID.
};

} // namespace troupe::simulation
