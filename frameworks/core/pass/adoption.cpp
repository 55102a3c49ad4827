#include "frameworks/core/pass/adoption.hpp"

namespace troupe::core {

void plan_release_of_mislabelled_children(reconcile_context& ctx) {
  for (const auto& child : ctx.children.mislabelled)
    ctx.plan_release_unless_blocked(child.kind, *child.view,
                                    "its labels no longer name this job");
}

bool plan_adoption_if_slot_has_orphan(reconcile_context& ctx, child_kind kind,
                                      const slot_state& empty) {
  const auto* orphan = empty.adoptable_orphan(kind);
  if (!orphan)
    return false;
  // A terminating object keeps the name until it is deleted: wait for that.
  ctx.plan_adoption_unless_blocked(kind, *orphan,
                                   "it has our labels and no owner");
  return true;
}

} // namespace troupe::core
