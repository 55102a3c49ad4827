#pragma once

#include "frameworks/core/observed/classify.hpp"
#include "frameworks/core/pass/plan.hpp"
#include "frameworks/core/recovery/lost_nodes.hpp"

#include <map>
#include <string>

namespace troupe::core {

/// The inputs and the result so far of one call of plan(). Passed to each of
/// its steps.
struct reconcile_context {
  const core::job& job;
  const core::expectations& expectations;
  const job_status& saved;
  time_point now;
  const cluster_options& cluster;
  classified_children children;
  plan_result result;
  /// Why no pod may be created now, "" if one may.
  std::string pod_creation_blocker = {};
  /// How many pods of each type had failed in the pass before.
  std::map<std::string, std::int32_t> failed_before = {};
  /// Kubernetes' PodGroup that new pods name; "": none.
  std::string scheduling_group = {};
  /// It has to be changed before pods are removed because there are too many.
  bool group_changes_first = false;
  /// Pods that are lost with their nodes, as found when the pass began.
  lost_node_step lost_nodes = {};

  job_status& status() { return result.status; }
  const job_status& status() const { return result.status; }

  /// Why the job fails validation or exceeds a limit, "" if it does neither. A
  /// limit binds only a job that has not begun: one with no status yet, and no
  /// pods.
  const std::string&
  validation_or_limit_error(const observed_children& seen) const;

  /// Each adds a decision, unless the slot or object is blocked (order in
  /// flight or back-off), the object is terminating, or, except for
  /// `plan_adoption_unless_blocked`, it is not owned by the job.
  void plan_creation_unless_blocked(child_kind kind, const slot_state& empty,
                                    std::string why);
  void plan_creation_unless_blocked(create_child wanted);
  void plan_auxiliary_creation_unless_blocked(const auxiliary_object& wanted,
                                              std::string why);
  /// `body` is the JSON text of the whole new object.
  void plan_auxiliary_update_unless_blocked(const child_view& v,
                                            const auxiliary_object& wanted,
                                            std::string version,
                                            std::string body, std::string why);
  void plan_failure_annotation_unless_blocked(const child_view& pod,
                                              std::string why);
  void plan_auxiliary_read_unless_blocked(child_kind kind, const child_view& v,
                                          std::string why);
  /// `patch.kind`, `name` and `uid` are the child's.
  void plan_patch_unless_blocked(const child_view& v, patch_auxiliary patch);
  /// Of an object of which nothing is known but its name.
  void plan_lookup_unless_blocked(child_kind kind, std::string name,
                                  std::string why);
  void plan_deletion_unless_blocked(child_kind kind, const child_view& v,
                                    std::string why);
  void plan_adoption_unless_blocked(child_kind kind, const child_view& v,
                                    std::string why);
  void plan_release_unless_blocked(child_kind kind, const child_view& v,
                                   std::string why);

  /// Sets a condition; its reason is the kind and `suffix`. Returns whether it
  /// has changed: false if the job has failed already.
  bool set_condition(std::string_view type, bool value, const char* suffix,
                     std::string message);

  /// The same text as an event.
  void add_event(bool warning, const char* suffix, std::string message);

  /// The job has succeeded or failed: sets the condition, the completion time
  /// and the final counts, and adds an event. `suffix` ends the reason of the
  /// condition, `event_suffix` (default: `suffix`) that of the event. Returns
  /// false and changes nothing else if the condition was already set.
  bool succeed_job(std::string message);
  bool fail_job(std::string message, const char* suffix = "Failed",
                bool warning = false, const char* event_suffix = nullptr);

  /// Reconcile again at `t` at the latest.
  void requeue_no_later_than(time_point t);
};

} // namespace troupe::core
