#pragma once

#include "frameworks/core/pass/reconcile_context.hpp"

namespace troupe::core {

/// Releases children whose labels name another job now.
void plan_release_of_mislabelled_children(reconcile_context& ctx);

/// Whether an orphan is to fill this empty slot, so that nothing need be
/// created there. Adopts it unless something prevents that.
bool plan_adoption_if_slot_has_orphan(reconcile_context& ctx, child_kind kind,
                                      const slot_state& empty);

} // namespace troupe::core
