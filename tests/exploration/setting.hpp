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
  // Of a job in a queue.
  int preemptions = 0;       ///< Evictions that queue it again at once.
  int time_outs = 0;         ///< Evictions after which it waits for a while.
  int deactivations = 0;     ///< Each may be followed by an activation.
  int checks = 0;            ///< Reservations that wait for an admission check.
  int refusals = 0;          ///< Kueue's webhook does not answer a write.
  int workload_removals = 0; ///< By hand.
  int lag = 0;               ///< Facts that a watch is behind, at most; 0: any.
  int prompt = 0;            ///< 1: watches tell at once.
  /// 1: a job in a queue is disturbed by others where nothing is under way.
  int calm = 0;
};

/// What changes of the spec of a job that is in a queue. Equal texts are one.
struct job_spec {
  std::string text; ///< JSON.
  bool suspended = false;
  bool is_as_written = false; ///< But for `suspend`.
  int number = 0;
};

struct job_object;

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
          const bounds& may_happen, bool with_services = false,
          bool queued = false);

  /// Whether the job's definition drops what a status has of restarts and
  /// attempts.
  bool prunes = false;
  setting(const setting&) = delete;
  setting& operator=(const setting&) = delete;

  std::string name;
  bounds most;
  plan_function plan;

  const core::framework& row() const { return row_; }
  /// The job as the operator reads this object. Where it has no spec, that of
  /// the generations 2, 4, ... is suspended.
  const core::job_ptr& job_of(const job_object& o) const;
  /// Of one that job_of() has given; of the same object it is the same.
  int number_of_job(const core::job_ptr& j) const;
  /// Whether the job is in a queue of Kueue's.
  bool is_queued() const { return queued_; }
  const job_spec* first_spec() const;
  const job_spec* read_spec(const std::string& json) const;
  const job_spec* with_suspend(const job_spec& of, bool suspend) const;
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
    return !queued_ && static_cast<std::size_t>(place) >= slots_.size();
  }
  /// Of the Workload of a job in a queue, which has no services.
  int workload_place() const { return static_cast<int>(slots_.size()); }
  const core::slot& slot_at(int place) const {
    return slots_[static_cast<std::size_t>(place) % slots_.size()];
  }
  core::child_kind kind_at(int place) const {
    if (queued_ && place == workload_place())
      return core::child_kind::workload;
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
  core::job_ptr make_job(const std::string& spec, int generation) const;

  core::framework row_;
  bool queued_;
  std::string written_; ///< The spec, not suspended.
  core::job_ptr running_;
  core::job_ptr suspended_;
  /// By generation and, if there is one, the number of the spec.
  mutable std::map<std::pair<int, int>, core::job_ptr> jobs_;
  mutable std::map<const core::job*, int> numbers_;
  mutable std::map<std::string, job_spec> specs_;
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
