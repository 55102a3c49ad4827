#pragma once

#include "actors/base/actor_options.hpp"
#include "actors/base/messages.hpp"
#include "frameworks/core/pass/plan.hpp"
#include "tests/exploration/encoder.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace troupe::exploration {

/// How often what is no part of a job's course may happen.
struct bounds {
  int successes = 0; ///< Pods that end well.
  int failures = 0;  ///< Pods that fail by themselves.
  /// The same, with the exit code for which the job's rule fails it.
  int fatal_failures = 0;
  int removals = 0;     ///< Pods deleted by hand.
  int late_ends = 0;    ///< Pods that end, well or not, while they terminate.
  int suspensions = 0;  ///< Each may be followed by a resumption.
  int deaths = 0;       ///< Of the operator, between any two steps.
  int lost_answers = 0; ///< Calls lost before or after they had their effect.
  int lists = 0;        ///< Watches that break; a list takes their place.
  int repetitions = 0;  ///< Undelivered facts that are told twice.
  int lost_nodes = 0;   ///< Nodes that fall silent, and may come back.
  int lag = 0;          ///< Facts that a watch is behind, at most; 0: any.
};

/// What all states of a world have in common: the job, as the operator reads
/// it, what may happen, and the function under test.
class setting {
public:
  using plan_function = std::function<core::plan_result(
      const core::job&, const core::observed_children&,
      const core::expectations&, const core::job_status&,
      const core::job_status&, core::time_point, const core::cluster_options&)>;

  /// `spec`: JSON text of the job's. Services are left out unless it says so:
  /// see README.md.
  setting(std::string name, const core::framework& row, std::string spec,
          const bounds& may_happen, bool with_services = false);

  /// Whether the job's definition drops what a status has of restarts and
  /// attempts.
  bool prunes = false;
  setting(const setting&) = delete;
  setting& operator=(const setting&) = delete;

  std::string name;
  bounds most;
  plan_function plan;

  const core::framework& row() const { return row_; }
  /// The job of a generation: of 2, 4, ... is suspended.
  const core::job_ptr& job_of(int generation) const;
  const core::job& job() const { return *running_; }
  const std::shared_ptr<const actors::job_reference>& reference() const {
    return reference_;
  }
  const std::shared_ptr<const actors::actor_options>& options() const {
    return options_;
  }

  /// The places of pods, in the order of the job's types.
  const std::vector<core::slot>& slots() const { return slots_; }
  /// The places of services follow those of pods.
  int number_of_place(core::child_kind kind, const core::slot& at) const;
  bool is_service(int place) const {
    return static_cast<std::size_t>(place) >= slots_.size();
  }
  const core::slot& slot_at(int place) const {
    return slots_[static_cast<std::size_t>(place) % slots_.size()];
  }
  core::child_kind kind_at(int place) const {
    return is_service(place) ? core::child_kind::service
                             : core::child_kind::pod;
  }
  const pod_places& places() const { return places_; }
  /// For tests: states are two, too, if alike replicas change places.
  void tell_all_slots_apart() { places_.groups.clear(); }
  /// Whether a failure restarts more than its pod; only its type.
  bool restarts_beyond_pod() const;
  bool restarts_types() const;
  /// Of a launcher, which is made after all others; -1: there is none.
  int last_slot() const;

private:
  std::vector<std::vector<int>> groups_of_alike_slots() const;
  core::job_ptr make_job(const std::string& spec, bool suspended) const;

  core::framework row_;
  core::job_ptr running_;
  core::job_ptr suspended_;
  mutable std::map<int, core::job_ptr> jobs_; ///< By generation.
  std::shared_ptr<const actors::job_reference> reference_;
  std::shared_ptr<const actors::actor_options> options_;
  std::vector<core::slot> slots_;
  pod_places places_;
};

/// The UID of the n-th pod of a slot; they sort by slot, then by number.
std::string uid_of_pod(int slot, int number);
/// The reverse; {-1, -1} for any other text.
std::pair<int, int> pod_of_uid(const std::string& uid);

/// Of a pod that a signal has killed, and of one for which the rule of a job
/// that has one fails it.
inline constexpr int usual_exit_code = 137;
inline constexpr int fatal_exit_code = 138;

/// The node of the first pods of a slot; the spare one takes those that are
/// made while it is silent.
std::string name_of_node(const std::string& pod, bool spare);

/// Of jobs in worlds where nodes are lost.
inline constexpr std::chrono::seconds lost_node_period{60};

/// Kubelets' times are long ago, so that no pod has failed early.
k8s::time_point time_of_creation();
k8s::time_point time_of_start();

} // namespace troupe::exploration
