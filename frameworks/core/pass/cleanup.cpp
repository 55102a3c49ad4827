#include "frameworks/core/pass/cleanup.hpp"

#include "frameworks/core/observed/observed.hpp"

#include <algorithm>
#include <tuple>

namespace troupe::core {

namespace {

/// Those whose labels name another job are released instead.
std::vector<const child_view*>
owned_children_in_slot_order(const observed_children::children& children) {
  std::vector<const child_view*> result;
  for (const auto& v : children)
    if (v.owned && v.labels_match_job)
      result.push_back(&v);
  std::stable_sort(result.begin(), result.end(),
                   [](const child_view* a, const child_view* b) {
                     return std::tie(a->at, a->uid) < std::tie(b->at, b->uid);
                   });
  return result;
}

bool is_pending_or_running(const child_view& pod) {
  return pod.phase == k8s::pod_phase::running
         || pod.phase == k8s::pod_phase::pending;
}

} // namespace

void delete_pods_and_services(reconcile_context& ctx,
                              const observed_children& seen,
                              const std::string& why) {
  for (auto kind : {child_kind::pod, child_kind::service})
    for (const auto* v :
         owned_children_in_slot_order(seen.children_of_kind(kind)))
      ctx.plan_deletion_unless_blocked(kind, *v, why);
}

void delete_children_by_clean_pod_policy(reconcile_context& ctx,
                                         const observed_children& seen) {
  const char* why = "the job has finished";
  if (ctx.job.policy.clean == clean_pod_policy::none)
    return;
  if (ctx.job.policy.clean == clean_pod_policy::all) {
    delete_pods_and_services(ctx, seen, why);
    return;
  }
  for (const auto* pod : owned_children_in_slot_order(seen.pods()))
    if (is_pending_or_running(*pod))
      ctx.plan_deletion_unless_blocked(child_kind::pod, *pod, why);
  for (const auto* service : owned_children_in_slot_order(seen.services()))
    ctx.plan_deletion_unless_blocked(child_kind::service, *service, why);
}

} // namespace troupe::core
