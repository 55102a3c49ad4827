#pragma once

#include "tests/simulation/queue/queue_invariants.hpp"
#include "tests/simulation/queue/simulated_kueue.hpp"
#include "tests/simulation/replica_types/kind_rules.hpp"
#include "tests/simulation/simulated_cluster.hpp"

#include <memory>

namespace troupe::simulation {

/// A cluster with Kueue, and a job that is a map of replica types in one of its
/// queues. In the end every pod succeeds.
class queue_cluster : public simulated_cluster {
public:
  queue_cluster(std::uint64_t seed, const core::framework& row,
                std::shared_ptr<simulated_api_server> api);

  void stop_faults() override;
  queue_invariants& invariants() override { return invariants_; }
  core::queueing_options queueing() const override;
  std::optional<k8s::failure> refusal_of(const k8s::request& r) override {
    return kueue_.refusal_of(r);
  }
  bool waits_for_a_reason() const override { return invariants_.waits(); }

private:
  json random_spec() override;
  void add_to_new_job(json& job) override;
  void user_step() override;
  void controller_step(int dice) override;
  bool has_work_for_kubelet(const json& pod) const override;
  void change_pending_pod(const std::string& key) override;
  void change_running_pod(const std::string& key) override;
  bool is_living_owner(const std::string& uid) const override;
  void remove_obstacles() override;

  void scale_job();
  void move_job();
  void edit_template();
  void delete_pod();
  void delete_job_in_foreground();
  bool end_foreground_deletion();
  void edit_while_suspended(const std::function<void(json& job)>& how);

  kind_rules rules_;
  queue_invariants invariants_;
  simulated_kueue kueue_;
  bool calm_; ///< No pod fails.
};

} // namespace troupe::simulation
