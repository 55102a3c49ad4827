#pragma once

#include "tests/simulation/admission_webhook.hpp"
#include "tests/simulation/invariants.hpp"
#include "tests/simulation/kind_rules.hpp"
#include "tests/simulation/simulated_api_server.hpp"

#include <random>
#include <string>
#include <vector>

namespace troupe::simulation {

/// What is around the operator: a user, kubelets, a gang scheduler, an
/// autoscaler, a garbage collector, webhooks, and watches that break; driven by
/// one seed.
class simulated_cluster {
public:
  simulated_cluster(std::uint64_t seed, const core::framework& row,
                    std::shared_ptr<simulated_api_server> api);

  /// Makes the job; the API's clock must be set.
  void begin();
  /// Does one thing that could happen now, or nothing.
  void step();
  /// From now on nothing fails and no user acts; pods still run and end.
  void stop_faults();
  /// Kubelets and the garbage collector do all that is left to do.
  /// Returns whether anything happened.
  bool finish_pending_work();

  invariant_checker& invariants() { return invariants_; }
  std::string job_key() const { return "ns/job"; }
  const std::string& plural() const { return rules_.plural(); }
  core::gang gang() const { return rules_.gang(); }
  /// Whether the gang scheduler will never admit the job's pod group.
  bool gang_waits() const;
  admission_webhook& webhook() { return webhook_; }
  std::mt19937_64& random() { return random_; }
  bool chance(int percent) {
    return static_cast<int>(random_() % 100) < percent;
  }

private:
  using key_list = std::vector<std::string>;

  void make_job();
  bool pod_step();
  void end_pod(const std::string& key);
  void restart_in_place(const std::string& key);
  void disrupt(const std::string& key);
  void set_phase(const std::string& key, const char* phase, int exit_code);
  void schedule_gang();
  void admit_gang();
  void autoscale();
  void user_step();
  void edit_job(const std::function<void(json&)>& how);
  void scale_job();
  void edit_run_policy();
  void edit_elastic_policy();
  void delete_child();
  void delete_job();
  void occupy_name();
  void orphan_child();
  void relabel_child();
  void edit_auxiliary_object();
  void move_pod_group_to_queue();
  void delete_foreign_objects();
  void disturb_watches();
  void install_or_uninstall_webhook();
  std::string random_child(const std::string& kind);
  key_list child_kinds() const;
  bool collect_garbage();

  std::mt19937_64 random_;
  kind_rules rules_;
  std::shared_ptr<simulated_api_server> api_;
  invariant_checker invariants_;
  admission_webhook webhook_;
  bool faults_stopped_ = false;
  bool queue_closed_ = false; ///< Volcano admits no pod group any more.
};

} // namespace troupe::simulation
