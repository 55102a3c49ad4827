#pragma once

#include "tests/simulation/di/coordinator_invariants.hpp"
#include "tests/simulation/simulated_cluster.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace troupe::simulation {

/// A cluster with a DIJob that has a coordinator (v1alpha1). Its pods ask for
/// replicas, and for lists of them.
class coordinator_cluster : public simulated_cluster {
public:
  coordinator_cluster(std::uint64_t seed, const core::framework& row,
                      std::shared_ptr<simulated_api_server> api);

  invariant_checker& invariants() override { return invariants_; }
  bool ask_at_end() override;

private:
  using request = frameworks::di::replica_request;
  using response_handler = std::function<void(const core::job_response&)>;

  json random_spec() override;
  void user_step() override;
  void controller_step(int dice) override;
  void change_running_pod(const std::string& key) override;
  void remove_obstacles() override;

  void edit_spec();
  void occupy_name();
  void make_or_delete_aggregator_config();
  void make_node();

  // Requests of pods.
  void send(request what, response_handler done = {});
  request random_request();
  void ask_for_last_list();
  void ask_for_learners(request& what);
  std::vector<std::string> random_replicas(int most);

  coordinator_invariants invariants_;
};

} // namespace troupe::simulation
