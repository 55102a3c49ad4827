#pragma once

#include "tests/simulation/queue/queue_invariants.hpp"
#include "tests/simulation/queue/simulated_kueue.hpp"
#include "tests/simulation/simulated_cluster.hpp"

#include <memory>

namespace troupe::simulation {

/// A cluster with Kueue, and a job in one of its queues. In the end its pods
/// succeed.
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
  /// What its queues tell is asked for again and again.
  bool waits_for_ever() const override {
    return invariants_.waits() && invariants_.may_wait();
  }

protected:
  /// Whether no pod fails in this life.
  bool is_calm() const { return calm_; }
  bool has_work_for_kubelet(const json& pod) const override;
  void controller_step(int dice) override;
  void change_running_pod(const std::string& key) override;
  bool is_living_owner(const std::string& uid) const override;
  void remove_obstacles() override;

private:
  /// A job that is valid and ends by itself, without what is of queues.
  virtual json random_job_spec() = 0;
  virtual int random_replica_count(const std::string& type) = 0;

  json random_spec() override;
  void add_to_new_job(json& job) override;
  void user_step() override;
  void change_pending_pod(const std::string& key) override;

  void scale_job();
  void change_policy();
  void move_job();
  void edit_template();
  void delete_pod();
  void delete_job_in_foreground();
  bool end_foreground_deletion();
  void edit_while_suspended(const std::function<void(json& job)>& how);

  queue_invariants invariants_;
  simulated_kueue kueue_;
  bool calm_;
};

} // namespace troupe::simulation
