#pragma once

#include "tests/simulation/mpi_ssh/launcher_job_controller.hpp"
#include "tests/simulation/mpi_ssh/launcher_job_invariants.hpp"
#include "tests/simulation/simulated_cluster.hpp"

#include <memory>
#include <string>

namespace troupe::simulation {

/// A cluster with an MPIJob of v2beta1, and with a Job controller.
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

  launcher_job_invariants invariants_;
  bool takes_reports_; ///< And the job has a policy on its progress.
  launcher_job_controller job_controller_;
};

} // namespace troupe::simulation
