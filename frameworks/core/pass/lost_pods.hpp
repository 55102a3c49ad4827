#pragma once

#include "frameworks/core/pass/reconcile_context.hpp"

namespace troupe::core {

/// Sets `lost_nodes`, before the steps that ask for it. Returns whether the job
/// has ended, of which only what is being deleted is looked at.
bool find_pods_of_lost_nodes(reconcile_context& ctx,
                             const observed_children& seen);

/// Pods of this type that run as far as is known, but are lost and replaced
/// alone, in a job that restarts more for others: its counts lack them, so that
/// a process that begins after their deletion knows that their places are to be
/// filled.
std::int32_t count_lost_pods_replaced_alone(const reconcile_context& ctx,
                                            const replica_type_view& type);

/// Reads nodes of which pods may be lost, and deletes the lost ones at once: in
/// place of what the steps before have decided about them.
///
/// In a job that is suspended or has ended, only what is being deleted is
/// deleted at once. In a job whose policy decides what its failures restart, a
/// pod of the latest attempt is, too, only if a step has decided to delete it:
/// that attempt has to be saved first; if it alone is replaced, when the saved
/// counts lack it. `had_ended`: what
/// find_pods_of_lost_nodes() has returned.
void plan_reads_of_nodes_and_removal_of_lost_pods(reconcile_context& ctx,
                                                  const observed_children& seen,
                                                  bool had_ended);

} // namespace troupe::core
