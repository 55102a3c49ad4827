#pragma once

#include "tests/simulation/replica_types/kind_rules.hpp"
#include "tests/simulation/replica_types/replica_type_invariants.hpp"
#include "tests/simulation/simulated_cluster.hpp"

#include <memory>

namespace troupe::simulation {

/// A cluster with a job that is a map of replica types; it may have a gang
/// scheduler, and autoscalers.
class replica_type_cluster : public simulated_cluster {
public:
  replica_type_cluster(std::uint64_t seed, const core::framework& row,
                       std::shared_ptr<simulated_api_server> api);

  void stop_faults() override;
  invariant_checker& invariants() override { return invariants_; }
  core::gang gang() const override { return rules_.gang(); }
  bool waits_for_ever() const override;
  bool takes_reports() const override { return takes_reports_; }

private:
  json random_spec() override;
  void add_to_new_job(json& job) override;
  void user_step() override;
  void controller_step(int dice) override;
  void change_running_pod(const std::string& key) override;
  void remove_obstacles() override;

  void report(const std::string& key);
  bool restarts_in_place(const std::string& key) const;
  void schedule_gang();
  void admit_gang();
  void autoscale();
  void scale_job();
  void edit_run_policy();
  void edit_elastic_policy();
  void edit_policies();
  json some_failure_policy(const json& job);
  void put_policy(json& job, const char* field, const json& policy);
  const json& types_of(const json& job) const;
  void occupy_name();
  void edit_auxiliary_object();
  void move_pod_group_to_queue();
  void delete_foreign_objects();

  kind_rules rules_;
  replica_type_invariants invariants_;
  bool has_policies_;         ///< Failure and success policies.
  bool by_annotation_;        ///< They are in annotations.
  bool takes_reports_;        ///< And the job has a policy on its progress.
  bool queue_closed_ = false; ///< Volcano admits no pod group any more.
};

} // namespace troupe::simulation
