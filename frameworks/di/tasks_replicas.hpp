#pragma once

#include "frameworks/core/reconcile_context.hpp"

#include <cstddef>
#include <vector>

namespace troupe::frameworks::di::tasks {

/// The pods of a DIJob of tasks that are not terminating.
struct replicas {
  std::size_t present = 0;  ///< In their places.
  std::int32_t missing = 0; ///< Places without one.
  /// All that there are, and there are some.
  bool all_succeeded = true;
  /// In their places, and to be replaced.
  std::vector<const core::child_view*> failed;
  /// Likewise, but the job is not to blame.
  std::vector<const core::child_view*> displaced;
  /// The job has no place for these.
  std::vector<const core::child_view*> surplus;

  /// Each place has a pod, and there is no other.
  bool complete() const { return missing == 0 && surplus.empty(); }
};

replicas count_replicas(const core::reconcile_context& p);

void create_missing(core::reconcile_context& p);
void delete_surplus(core::reconcile_context& p, const replicas& r);
void delete_displaced(core::reconcile_context& p, const replicas& r);

/// Deletes failed pods. One that failed within seconds of its start, and not
/// for the first time, has to wait.
void replace_failed(core::reconcile_context& p, const replicas& r);

} // namespace troupe::frameworks::di::tasks
