#pragma once

#include "tests/simulation/mpi_ssh/launcher_job_invariants.hpp"
#include "tests/simulation/simulated_cluster.hpp"

#include <map>
#include <memory>
#include <set>
#include <string>

namespace troupe::simulation {

/// A cluster with an MPIJob of v2beta1, and with a Job controller, which does
/// one thing at a time, late, and is never asked.
class launcher_job_cluster : public simulated_cluster {
public:
  launcher_job_cluster(std::uint64_t seed, const core::framework& row,
                       std::shared_ptr<simulated_api_server> api);

  invariant_checker& invariants() override { return invariants_; }
  bool takes_reports() const override { return takes_reports_; }

private:
  json random_spec() override;
  json random_failure_policy();
  void user_step() override;
  void controller_step(int dice) override;
  bool has_work_for_kubelet(const json& pod) const override;
  void change_pending_pod(const std::string& key) override;
  void change_running_pod(const std::string& key) override;
  bool is_living_owner(const std::string& uid) const override;
  void remove_obstacles() override;

  void scale_job();
  void edit_policy();
  void edit_object_for_pods();
  void orphan_worker();
  void occupy_name();
  void delete_foreign_objects();

  void report(const std::string& key);
  void end_pod(const std::string& key, const char* phase, int exit_code);
  void set_ready(const std::string& key);

  // The Job controller.
  /// Whether there was something to do.
  bool act_for_job_controller();
  bool suspend_launcher(const json& pods);
  bool resume_launcher(const json& pods);
  bool count_failures(const json& pods);
  bool count_vanished_pods();
  void make_launcher_pod(const json& launcher);
  void delete_pod(const std::string& key);
  void set_launcher_condition(const char* type, const char* status,
                              const char* reason);
  json launcher_pods() const;

  launcher_job_invariants invariants_;
  bool takes_reports_;            ///< And the job has a policy on its progress.
  std::set<std::string> counted_; ///< Failed pods, by UID.
  /// Pods that the present Job has, as its controller knows: key and UID.
  std::map<std::string, std::string> made_;
  std::string maker_; ///< UID of that Job.
  json last_seen_;    ///< The Job, as the controller last saw it.
  int launcher_pods_made_ = 0;
};

} // namespace troupe::simulation
