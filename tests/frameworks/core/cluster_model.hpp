#pragma once

#include "tests/fixtures/builders.hpp"

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace troupe::fixtures {

/// A cluster reduced to one job and its children: carries decisions out, and
/// pods run, end and are deleted. All chance comes from one seed.
class cluster_model {
public:
  explicit cluster_model(std::uint64_t seed);

  /// A pass on everything there is; its decisions are checked against the
  /// rules that hold for any pass.
  void pass();
  /// Carries out each decision with this chance; the others are lost.
  void execute_orders(double chance);
  /// Saves the status with this chance.
  void save(double chance);
  /// Some pods start, restart, end or are deleted by others.
  void run_pods();
  /// Children that are being deleted are gone.
  void finish_deletions();
  /// Deletes what has our names and is not ours.
  void delete_foreign_children();
  /// The operator loses all that it did not save.
  void restart_operator();
  /// The owner changes the job.
  void change_spec();

  bool is_idle() const;
  /// There is nothing to do until then; nullopt: ever.
  std::optional<k8s::time_point> waits_until() const;
  /// What is wrong with an idle state, "" if nothing.
  std::string violation_when_idle() const;

  job_fixture s;
  bool job_removed = false;
  std::string violation; ///< The first one.
  /// UIDs of failed pods that were deleted to be replaced.
  std::set<std::string> replaced;

private:
  struct child {
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
    bool deleting = false;
    bool disrupted = false;
    k8s::time_point started{};
    k8s::time_point ended{};
    std::uint64_t version = 0;
  };

  core::job random_job();
  void random_child();
  child& add(core::child_kind kind, const std::string& type, int index);
  child_builder as_observed(const child& t) const;
  void observe_changes();
  void check(const core::decision& d);
  bool execute_orders(const core::decision& d);
  int pick(int below) {
    return static_cast<int>(
        std::uniform_int_distribution<>{0, below - 1}(random_));
  }
  bool happens(double p) { return std::bernoulli_distribution{p}(random_); }
  void report_violation(const std::string& rule) {
    if (violation.empty())
      violation = rule;
  }

  std::mt19937_64 random_;
  std::map<std::string, child> children_; ///< By UID.
  std::uint64_t clock_ = 1;
  std::set<std::string> decided_on_; ///< In this pass.
};

} // namespace troupe::fixtures
