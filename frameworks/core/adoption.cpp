#include "frameworks/core/adoption.hpp"

namespace troupe::core {

void release_mislabelled(reconcile_context& p) {
  for (const auto& child : p.children.mislabelled)
    p.plan_release(child.kind, *child.view,
                   "its labels no longer name this job");
}

bool adopt_into(reconcile_context& p, child_kind kind,
                const slot_state& empty) {
  const auto* orphan = empty.orphan(kind);
  if (!orphan)
    return false;
  // A terminating object keeps the name until it is deleted: wait for that.
  p.plan_adopt(kind, *orphan, "it has our labels and no owner");
  return true;
}

} // namespace troupe::core
