#pragma once

#include "tests/fixtures/builders.hpp"

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace troupe::fixtures {

/// A cluster reduced to one job's children: enough to carry decisions out and
/// to let pods live and die. All chance comes from one seed.
class model {
public:
  explicit model(std::uint64_t seed);

  /// A pass on everything there is; its decisions are checked against the
  /// rules that hold for any pass.
  void pass();
  /// Carries out each decision with this chance; the rest never left.
  void execute_orders(double chance);
  /// Saves the status with this chance.
  void save(double chance);
  /// Lets some pods go on, end or be deleted by others.
  void live();
  /// What is being deleted goes.
  void bury();
  /// So does whatever holds our names and is none of ours.
  void strangers_leave();
  /// The operator forgets all it did not save.
  void crash();
  /// The owner changes the job.
  void edit();

  bool at_rest() const;
  /// Nothing to do until then; nullopt: for good.
  std::optional<k8s::time_point> waits_until() const;
  /// What is wrong with a state at rest, "" if nothing.
  std::string wrong_at_rest() const;

  situation s;
  bool job_removed = false;
  std::string wrong; ///< The first broken rule.
  /// UIDs of failed pods that were ordered away to be replaced.
  std::set<std::string> replaced;

private:
  struct thing {
    core::child_kind kind;
    std::string type;
    int index = 0;
    std::string uid;
    std::string name;
    std::string owner;
    std::string job_label;
    k8s::pod_phase phase = k8s::pod_phase::pending;
    std::optional<int> code;
    int restarts = 0;
    int annotated = 0;
    bool going = false;
    bool disrupted = false;
    k8s::time_point begun{};
    k8s::time_point ended{};
    std::uint64_t version = 0;
  };

  core::job random_job();
  void random_child();
  thing& add(core::child_kind kind, const std::string& type, int index);
  child_builder view(const thing& t) const;
  void look();
  void check(const core::decision& d);
  bool execute_orders(const core::decision& d);
  int pick(int below) {
    return static_cast<int>(
        std::uniform_int_distribution<>{0, below - 1}(chance_));
  }
  bool happens(double p) { return std::bernoulli_distribution{p}(chance_); }
  void broken(const std::string& rule) {
    if (wrong.empty())
      wrong = rule;
  }

  std::mt19937_64 chance_;
  std::map<std::string, thing> things_; ///< By UID.
  std::uint64_t clock_ = 1;
  std::set<std::string> touched_; ///< In this pass.
};

} // namespace troupe::fixtures
