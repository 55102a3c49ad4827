#include "frameworks/core/adoption.hpp"

#include "frameworks/core/names.hpp"

namespace troupe::core {

void release_mislabelled(pass& p) {
  for (const auto& odd : p.children.mislabelled)
    p.release(odd.kind, *odd.view, "its labels no longer name this job");
}

bool adopt_into(pass& p, child_kind kind, const slot_state& empty) {
  const auto* orphan = empty.orphan(kind);
  if (!orphan)
    return false;
  // One that is going keeps the name until it is gone: wait for it.
  p.adopt(kind, *orphan, "it has our labels and no owner");
  return true;
}

std::string why_taken(const create_child& wanted, const job& j,
                      const k8s::object_meta& there) {
  const auto* owner = there.controller();
  if (owner && owner->uid == j.uid) {
    // Ours, but its labels were changed: it has to be let go of first.
    bool elsewhere = is_replica_child(wanted.kind)
                     && !names_place(there.labels, j, wanted.at);
    return elsewhere ? "its labels name another replica" : "";
  }
  // What belongs to an earlier job of the name goes with that one.
  bool earlier =
      owner && owner->kind == j.kind->type.kind && owner->name == j.name;
  if (may_be_shared(wanted.kind) && !earlier)
    return {};
  return owner ? "it belongs to " + owner->kind + " " + owner->name
               : "it has no owner";
}

} // namespace troupe::core
