#pragma once

#include "tests/simulation/invariants.hpp"

#include <map>
#include <memory>
#include <set>
#include <string>

namespace troupe::simulation {

/// The rules of jobs in a queue of Kueue's. What is true of quota does not
/// depend on what a process knows: nobody takes it from a job but the operator.
/// Pods whose creation was in the network when their process ended are strays:
/// no server refuses them. So are those that a launcher's Job makes when it is
/// gone, or after such a write has let it run.
class queue_invariants : public invariant_checker {
public:
  queue_invariants(const core::framework& row,
                   std::shared_ptr<simulated_api_server> api,
                   std::string job_key)
      : invariant_checker(row, std::move(api), std::move(job_key)) {}

  /// A person has written the templates of the job.
  void templates_written();
  void child_orphaned(const json&) override {}
  void operator_started() override {}
  void check_end_state() override;
  /// Whether the job may wait for ever: somebody else has to do something.
  bool may_wait() const;
  /// Whether it waits at the end.
  bool waits() const;

private:
  void record_change(const std::string& type, const std::string& plural,
                     const json& object) override;
  void check_creation(const std::string& plural, const std::string& key,
                      const json& body) override;
  void check_removal(const std::string& plural, const json& object,
                     const json& body) override;
  void check_job_removal(const json&) override {}
  void check_status(const json& old, const json& status) override;
  void check_annotations(const json& body) override;
  void check_change(const k8s::request& r, const std::string& plural,
                    const json* object, const json& body) override;

  void record_pod(const std::string& type, const json& pod);
  void record_launcher(const std::string& type, const json& batch_job);
  void check_pod_of_launcher(const json& pod);
  void check_new_pod(const std::string& key, const json& pod);
  void check_new_workload(const json& body);
  void check_workload_status(const json& old, const json& body);
  void check_workload_spec(const json& old, const json& body);
  void check_quota_given_back(const json& workload, const char* how);
  void check_templates(const json& body);

  bool has_done_all(const json& job) const;
  /// The UID of the job that a child is of; that of a launcher's pod is the
  /// job whose Job it is.
  const std::string& job_of(const json& child) const;
  bool is_live(const json& pod) const;
  int live_pods(const std::string& job, const std::string& type) const;
  /// What a type may have; -1: nothing is granted.
  int granted_before(const json& slice, const std::string& type) const;
  int granted(const std::string& job, const std::string& type) const;
  bool is_between_slices(const std::string& job) const;
  std::map<std::string, json> templates_of(const json& job) const;

  std::map<std::string, json> written_; ///< Templates, by type.
  std::set<std::string> strays_;        ///< UIDs of pods.
  std::set<std::string> failed_;        ///< UIDs of pods, of the present job.
  std::map<std::string, std::string> jobs_of_launchers_; ///< UIDs, by UID.
  std::string runs_by_late_write_; ///< UID of a launcher's Job.
};

} // namespace troupe::simulation
