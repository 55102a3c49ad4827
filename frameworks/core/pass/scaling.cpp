#include "frameworks/core/pass/scaling.hpp"

#include "frameworks/core/pass/adoption.hpp"
#include "frameworks/core/pass/completed_replicas.hpp"
#include "frameworks/core/pass/restart_scope.hpp"

#include <algorithm>

namespace troupe::core {

namespace {

/// So many are in flight or have failed that no other may be tried.
bool has_reached_open_creation_limit(const reconcile_context& ctx) {
  return ctx.expectations.creation_count() + ctx.result.decisions.size()
         >= max_decisions;
}

/// Whether there is nothing for this type but what was never tried. Looking at
/// each slot for more would take most of the time of a large job's pass.
bool has_nothing_to_retry_or_adopt(const reconcile_context& ctx,
                                   child_kind kind,
                                   const replica_type_view& type) {
  return !ctx.expectations.has_unblocked_creation(ctx.now)
         && std::none_of(type.slots.begin(), type.slots.end(),
                         [&](const slot_state& state) {
                           return state.adoptable_orphan(kind) != nullptr;
                         });
}

void plan_missing_adoptions_and_creations(reconcile_context& ctx,
                                          child_kind kind,
                                          const replica_type_view& type) {
  const bool only_new = has_nothing_to_retry_or_adopt(ctx, kind, type);
  for (const auto& state : type.slots) {
    const bool full = has_reached_open_creation_limit(ctx);
    if (ctx.result.decisions.size() >= max_decisions || (full && only_new))
      return;
    // A terminating object fills its slot until it is deleted.
    if (state.owned_child(kind)
        || (kind == child_kind::pod
            && is_completed(ctx, *type.spec, state.at.index))
        || ctx.expectations.is_creation_blocked({kind, state.at}, ctx.now)
        || plan_adoption_if_slot_has_orphan(ctx, kind, state))
      continue;
    if (!full || ctx.expectations.has_creation({kind, state.at}))
      ctx.plan_creation_unless_blocked(kind, state, "no such replica exists");
  }
}

/// Whether every replica of the other types has its pod.
bool other_types_have_all_pods(const reconcile_context& ctx,
                               const replica_type_view& type) {
  for (const auto& other : ctx.children.types)
    for (const auto& state : other.slots)
      if (other.spec != type.spec && !state.pod
          && !is_completed(ctx, *other.spec, state.at.index))
        return false;
  return true;
}

bool must_wait_for_other_types(const reconcile_context& ctx,
                               const replica_type_view& type) {
  return type.rule && type.rule->created_last
         && !other_types_have_all_pods(ctx, type);
}

} // namespace

void adopt_or_create_missing_pods(reconcile_context& ctx,
                                  const replica_type_view& type) {
  plan_missing_adoptions_and_creations(ctx, child_kind::pod, type);
}

void adopt_or_create_missing_children(reconcile_context& ctx) {
  for (const auto& type : ctx.children.types) {
    if (!must_wait_for_other_types(ctx, type)
        && !is_type_held_by_restart(restart_state_of(ctx), *type.spec))
      adopt_or_create_missing_pods(ctx, type);
    if (ctx.job.kind->pods.services)
      plan_missing_adoptions_and_creations(ctx, child_kind::service, type);
  }
}

void delete_surplus_children(reconcile_context& ctx) {
  if (ctx.group_changes_first)
    return;
  for (const auto& surplus : ctx.children.out_of_range)
    ctx.plan_deletion_unless_blocked(surplus.kind, *surplus.view,
                                     "the job no longer has this replica");
  for (const auto& surplus : ctx.children.duplicates)
    ctx.plan_deletion_unless_blocked(
        surplus.kind, *surplus.view,
        "another object of the same replica is kept");
}

} // namespace troupe::core
