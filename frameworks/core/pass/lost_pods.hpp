#pragma once

#include "frameworks/core/pass/reconcile_context.hpp"

namespace troupe::core {

/// Reads nodes of which pods may be lost, and deletes the lost ones at once: in
/// place of what the steps before have decided about them.
///
/// In a job that is suspended or has ended, only what is being deleted is
/// deleted at once. In a job whose policy decides what its failures restart, a
/// pod of the latest attempt is, too, only if a step has decided to delete it:
/// that attempt has to be saved first.
void plan_reads_of_nodes_and_removal_of_lost_pods(
    reconcile_context& ctx, const observed_children& seen);

} // namespace troupe::core
