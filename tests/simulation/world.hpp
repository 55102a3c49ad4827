#pragma once

#include "tests/fixtures/fake_api.hpp"

#include <random>
#include <string>
#include <vector>

namespace troupe::simulation {

using fixtures::json;

/// Everything around the operator: a user, kubelets, a garbage collector and
/// bad luck, driven by one seed. Also the judge: it looks at every write of
/// the operator before it takes effect.
class world {
public:
  world(std::uint64_t seed, std::shared_ptr<fixtures::fake_api> api);

  /// Does one thing that could happen now, or nothing.
  void step();
  /// From now on nothing bad and nothing new happens; pods still live on.
  void calm_down() { calm_ = true; }
  /// Lets pods and the garbage collector do all they still want to.
  /// Returns whether anything happened.
  bool finish_what_is_begun();

  /// What the operator did wrong, empty if nothing.
  const std::vector<std::string>& complaints() const { return complaints_; }
  /// What is wrong with the end state, given that all is quiet.
  std::vector<std::string> judge_the_end() const;

  std::string job_key() const { return "ns/" + job_name_; }
  std::mt19937_64& random() { return random_; }
  bool chance(int percent) {
    return static_cast<int>(random_() % 100) < percent;
  }

private:
  void make_job();
  void judge(const k8s::request& r, const std::string& plural,
             const std::string& key, const json& body);
  void judge_removal(const std::string& plural, const json& object);
  bool pod_step();
  void user_step();
  bool collect_garbage();
  void set_phase(const std::string& key, const char* phase, int exit_code);
  const json* job() const;
  void complain(std::string what);
  void remember_spec();

  std::mt19937_64 random_;
  std::shared_ptr<fixtures::fake_api> api_;
  std::string job_name_ = "job";
  std::vector<json> specs_; ///< Every spec the job ever had.
  std::vector<std::string> complaints_;
  bool calm_ = false;
  bool leader_may_succeed_ = false;
};

} // namespace troupe::simulation
