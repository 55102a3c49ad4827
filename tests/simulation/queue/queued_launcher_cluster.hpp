#pragma once

#include "tests/simulation/mpi_ssh/launcher_job_controller.hpp"
#include "tests/simulation/queue/queue_cluster.hpp"

#include <memory>
#include <string>

namespace troupe::simulation {

/// An MPIJob of v2beta1 in a queue. The pods of its launcher are made by the
/// Job controller; when the launcher has succeeded, the job has.
class queued_launcher_cluster : public queue_cluster {
public:
  queued_launcher_cluster(std::uint64_t seed, const core::framework& row,
                          std::shared_ptr<simulated_api_server> api);

private:
  json random_job_spec() override;
  int random_replica_count(const std::string& type) override;
  void controller_step(int dice) override;
  void change_running_pod(const std::string& key) override;
  bool has_work_for_kubelet(const json& pod) const override;
  bool is_living_owner(const std::string& uid) const override;
  void remove_obstacles() override;

  launcher_job_controller job_controller_;
};

} // namespace troupe::simulation
