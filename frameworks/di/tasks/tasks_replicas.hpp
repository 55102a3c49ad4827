#pragma once

#include "frameworks/core/pass/reconcile_context.hpp"

#include <cstddef>
#include <vector>

namespace troupe::frameworks::di::tasks {

/// The pods of a DIJob of tasks that are not terminating.
struct replicas {
  std::size_t present = 0;  ///< In their places.
  std::int32_t missing = 0; ///< Places without one.
  /// All that there are, and there are some.
  bool all_succeeded = true;
  /// In their slots, and to be replaced.
  std::vector<const core::child_view*> failed;
  /// Likewise, but they were disrupted (evicted, preempted): not failures.
  std::vector<const core::child_view*> disrupted;
  /// The job has no slots for these.
  std::vector<const core::child_view*> surplus;

  /// Each slot has a pod, and there is no other.
  bool has_exactly_desired_pods() const {
    return missing == 0 && surplus.empty();
  }
};

replicas classify_replicas(const core::reconcile_context& ctx);

void create_missing_pods(core::reconcile_context& ctx);
void delete_surplus_pods(core::reconcile_context& ctx, const replicas& r);
void delete_disrupted_pods(core::reconcile_context& ctx, const replicas& r);

/// Deletes failed pods. One that failed within seconds of its start, and not
/// for the first time, has to wait.
void delete_failed_pods_to_replace(core::reconcile_context& ctx,
                                   const replicas& r);

} // namespace troupe::frameworks::di::tasks
