#pragma once

#include "tests/simulation/di/replica_ledger.hpp"
#include "tests/simulation/invariants.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace troupe::simulation {

/// What one process of the operator may know of a DIJob with a coordinator:
/// what was true at some time since it started.
struct coordinator_knowledge {
  std::set<std::string> jobs; ///< UIDs.
  std::vector<json> specs;
  bool over = false; ///< The job was when it began.
  /// Names of pods that were there, and of those that were not.
  std::set<std::string> pods;
  std::set<std::string> absent;
  /// What coordinators were, by UID of the job: "Running", "Failed",
  /// "Succeeded".
  std::map<std::string, std::set<std::string>> coordinators;
  std::set<std::string> ended;    ///< Pods that had when it began.
  std::set<std::string> orphaned; ///< Children that were the job's then.
};

/// The rules of DIJobs with a coordinator (v1alpha1).
class coordinator_invariants : public invariant_checker {
public:
  coordinator_invariants(const core::framework& row,
                         std::shared_ptr<simulated_api_server> api,
                         std::string job_key);

  /// A request was sent to the present process; returns its number.
  std::size_t request_sent(replica_ledger::request_ptr what);
  void request_answered(std::size_t number, const core::job_response& r);
  // Responses when nothing else happens any more.
  void check_last_status(const core::job_response& r, int expected);
  void check_last_list(const core::job_response& r);

  void child_orphaned(const json& object) override;
  void operator_started() override;
  void call_failed(const k8s::request& r) override;
  void check_end_state() override;

private:
  void record_change(const std::string& type, const std::string& plural,
                     const json& object) override;
  void check_creation(const std::string& plural, const std::string& key,
                      const json& body) override;
  void check_removal(const std::string& plural, const json& object,
                     const json& body) override;
  void check_job_removal(const json& body) override;
  void check_status(const json& old, const json& status) override;

  coordinator_knowledge& present() { return known_[present_process()]; }
  const coordinator_knowledge& writer() const {
    return known_.at(writing_process());
  }

  void record_job(const std::string& type, const json& job);
  void record_pod(const std::string& type, const json& pod);
  void record_coordinator(const json& pod);
  std::string state_of_coordinator(const json& pod) const;

  void check_pod_creation(const json& pod);
  void check_service_creation(const json& service);
  void check_pod_removal(const json& pod);
  bool may_clean_up(const json& pod) const;

  // Status.
  void check_phase(const std::string& before, const std::string& after);
  void check_conditions(const json& status);
  void check_counts(const json& status);
  void check_reason_of_phase(const json& status);

  // The end state.
  void check_finished_at_end(const json& job);
  void check_unfinished_at_end(const json& job);
  void check_counts_at_end(const json& job);

  std::map<int, coordinator_knowledge> known_; ///< By process.
  replica_ledger ledger_;
  std::string making_; ///< A pod that the operator makes now: its name.
  /// How many pods there were of each role, by UID of the job.
  std::map<std::string, std::map<std::string, int>> pods_made_;
};

} // namespace troupe::simulation
