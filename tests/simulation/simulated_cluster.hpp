#pragma once

#include "tests/fixtures/fake_api.hpp"
#include "tests/simulation/invariants.hpp"
#include "tests/simulation/kind_rules.hpp"

#include <random>
#include <string>
#include <vector>

namespace troupe::simulation {

/// What is around the operator: a user, kubelets, a garbage collector, and
/// watches that break; driven by one seed.
class simulated_cluster {
public:
  simulated_cluster(std::uint64_t seed, const core::framework& row,
                    std::shared_ptr<fixtures::fake_api> api);

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
  void user_step();
  void edit_job(const std::function<void(json&)>& how);
  void scale_job();
  void edit_run_policy();
  void delete_child();
  void delete_job();
  void occupy_name();
  void orphan_child();
  void relabel_child();
  void edit_auxiliary_object();
  void delete_foreign_objects();
  void disturb_watches();
  std::string random_child(const std::string& kind);
  key_list child_kinds() const;
  bool collect_garbage();

  std::mt19937_64 random_;
  kind_rules rules_;
  std::shared_ptr<fixtures::fake_api> api_;
  invariant_checker invariants_;
  bool faults_stopped_ = false;
};

} // namespace troupe::simulation
