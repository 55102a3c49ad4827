#pragma once

#include "tests/simulation/di/tasks_invariants.hpp"
#include "tests/simulation/simulated_cluster.hpp"

#include <memory>

namespace troupe::simulation {

/// A cluster with a DIJob of tasks (v2alpha1). Nodes refuse its pods or are
/// lost, and pods get ready some time after they run.
class tasks_cluster : public simulated_cluster {
public:
  tasks_cluster(std::uint64_t seed, const core::framework& row,
                std::shared_ptr<simulated_api_server> api);

  invariant_checker& invariants() override { return invariants_; }
  bool ask_at_end() override;

private:
  json random_spec() override;
  void user_step() override;
  bool has_work_for_kubelet(const json& pod) const override;
  void change_pending_pod(const std::string& key) override;
  void change_running_pod(const std::string& key) override;
  void change_other_pod(const std::string& key) override;
  void remove_obstacles() override;

  json random_task(const char* type);
  void scale_job();
  void add_or_remove_task();
  void edit_policy();
  void occupy_name();
  void refuse(const std::string& key);
  void lose_node(const std::string& key);
  void set_ready(const std::string& key, bool ready);

  tasks_invariants invariants_;
};

} // namespace troupe::simulation
