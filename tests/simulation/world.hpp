#pragma once

#include "tests/fixtures/fake_api.hpp"
#include "tests/simulation/judge.hpp"
#include "tests/simulation/kind_book.hpp"

#include <random>
#include <string>
#include <vector>

namespace troupe::simulation {

/// Everything around the operator: a user, kubelets, a garbage collector and
/// bad luck, driven by one seed.
class world {
public:
  world(std::uint64_t seed, const core::framework& row,
        std::shared_ptr<fixtures::fake_api> api);

  /// Makes the job; the clock runs by now.
  void begin();
  /// Does one thing that could happen now, or nothing.
  void step();
  /// From now on nothing bad and nothing new happens; pods still live on.
  void calm_down();
  /// Lets pods and the garbage collector do all they still want to.
  /// Returns whether anything happened.
  bool finish_what_is_begun();

  judge& checker() { return judge_; }
  std::string job_key() const { return "ns/job"; }
  const std::string& plural() const { return book_.plural(); }
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
  void scale();
  void edit_policy();
  void delete_child();
  void delete_job();
  void squat();
  void orphan();
  void relabel();
  void meddle();
  void evict_strangers();
  void trouble_streams();
  std::string some_child(const std::string& kind);
  key_list child_kinds() const;
  bool collect_garbage();

  std::mt19937_64 random_;
  kind_book book_;
  std::shared_ptr<fixtures::fake_api> api_;
  judge judge_;
  bool calm_ = false;
};

} // namespace troupe::simulation
