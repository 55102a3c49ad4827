#pragma once

#include "frameworks/core/pass/reconcile_context.hpp"

#include <cstddef>
#include <vector>

namespace troupe::frameworks::di::tasks {

/// The pods of a DIJob of tasks that are not terminating.
struct replicas {
  std::size_t present = 0;  ///< Pods in their slots.
  std::int32_t missing = 0; ///< Slots without a pod.
  /// All pods have succeeded, surplus ones too, and there is at least one.
  bool all_succeeded = true;
  /// Failed pods in their slots, which must be replaced.
  std::vector<const core::child_view*> failed;
  /// Pods in their slots that must be replaced and are no failures: their node
  /// did not admit them, or they were preempted.
  std::vector<const core::child_view*> disrupted;
  /// Pods for which the job has no slots.
  std::vector<const core::child_view*> surplus;

  /// Each slot has a pod, and there is no other.
  bool has_exactly_desired_pods() const {
    return missing == 0 && surplus.empty();
  }
};

replicas classify_replicas(const core::reconcile_context& ctx);

void adopt_or_create_missing_pods(core::reconcile_context& ctx);
void delete_surplus_pods(core::reconcile_context& ctx, const replicas& r);
void delete_disrupted_pods(core::reconcile_context& ctx, const replicas& r);

/// Deletes failed pods. One that failed within seconds of its start, and not
/// for the first time, has to wait.
void delete_failed_pods_or_annotate_wait(core::reconcile_context& ctx,
                                         const replicas& r);

} // namespace troupe::frameworks::di::tasks
