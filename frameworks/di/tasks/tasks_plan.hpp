#pragma once

#include "frameworks/core/pass/reconcile_context.hpp"

namespace troupe::frameworks::di::tasks {

/// One pass over a DIJob of tasks. Its pods are complete if each place has one
/// that is not terminating, and no other pod is there.
///
///   phase                condition                     next
///   Pending              pods are complete             Starting
///   Starting, Running    all pods succeeded            Succeeded
///                        a pod failed                  Restarting, or Failed
///                                                      beyond backoffLimit
///                        pods are not complete         Rescheduling
///   Starting             all pods are ready            Running
///   Restarting           complete, none has failed     Starting
///   Rescheduling         complete                      Starting; Pending if
///                                                      the job has no pods
///
/// In Pending, Restarting and Rescheduling missing pods are created; in the
/// last two surplus pods are deleted, and in Restarting failed ones. Each entry
/// into these counts (status.restarts, status.reschedules); pods are deleted
/// only after the count has been saved, so that each failure counts once. A pod
/// that its node did not admit is replaced by a rescheduling, and so is one of
/// a preemptible job that ended with code 143.
///
/// The job has one service. When it has finished, it is cleaned up.
void reconcile_job(core::reconcile_context& ctx,
                   const core::observed_children& seen);

} // namespace troupe::frameworks::di::tasks
