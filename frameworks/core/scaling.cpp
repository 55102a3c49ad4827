#include "frameworks/core/scaling.hpp"

#include "frameworks/core/adoption.hpp"

namespace troupe::core {

namespace {

void create_missing(reconcile_context& p, child_kind kind,
                    const replica_type_view& type) {
  for (const auto& state : type.slots) {
    if (p.out.decisions.size() >= most_creations)
      return;
    // A terminating object fills its slot until it is deleted.
    if (!state.of(kind) && !p.open.creation_blocked({kind, state.at}, p.now)
        && !adopt_into(p, kind, state))
      p.plan_create(kind, state, "no such replica exists");
  }
}

/// Whether every place of the other types has its pod.
bool other_types_have_all_pods(const reconcile_context& p,
                               const replica_type_view& type) {
  for (const auto& other : p.children.types)
    for (const auto& state : other.slots)
      if (other.spec != type.spec && !state.pod)
        return false;
  return true;
}

bool waits_for_others(const reconcile_context& p,
                      const replica_type_view& type) {
  return type.rule && type.rule->created_last
         && !other_types_have_all_pods(p, type);
}

} // namespace

void create_missing_pods(reconcile_context& p, const replica_type_view& type) {
  create_missing(p, child_kind::pod, type);
}

void create_missing_children(reconcile_context& p) {
  for (const auto& type : p.children.types) {
    if (!waits_for_others(p, type))
      create_missing_pods(p, type);
    if (p.j.kind->services)
      create_missing(p, child_kind::service, type);
  }
}

void remove_surplus_children(reconcile_context& p) {
  for (const auto& odd : p.children.out_of_range)
    p.plan_delete(odd.kind, *odd.view, "the job no longer has this replica");
  for (const auto& odd : p.children.duplicates)
    p.plan_delete(odd.kind, *odd.view,
                  "another object of the same replica is kept");
}

} // namespace troupe::core
