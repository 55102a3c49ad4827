#include "frameworks/di/tasks/tasks_replicas.hpp"

#include "frameworks/core/pass/restarts.hpp"
#include "frameworks/core/pass/scaling.hpp"
#include "frameworks/di/tasks/tasks_spec.hpp"

namespace troupe::frameworks::di::tasks {

using namespace core;

namespace {

constexpr std::int32_t ended_by_sigterm = 128 + 15;

/// Its node refused the pod: the kubelet found no resources for it ("OutOfcpu")
/// or could not give it its devices.
bool was_rejected_by_kubelet(const child_view& pod) {
  return pod.phase == k8s::pod_phase::failed
         && (*pod.status_reason == "UnexpectedAdmissionError"
             || pod.status_reason->rfind("OutOf", 0) == 0);
}

bool was_preempted(const job& j, const child_view& pod) {
  return pod.phase == k8s::pod_phase::failed
         && pod.exit_code == ended_by_sigterm && is_preemptible(j);
}

bool has_failed_or_is_lost(const child_view& pod) {
  return pod.phase == k8s::pod_phase::failed
         || pod.phase == k8s::pod_phase::unknown;
}

void classify_pod_in_slot(replicas& r, const job& j, const child_view& pod) {
  r.all_succeeded &= pod.phase == k8s::pod_phase::succeeded;
  ++r.present;
  if (was_rejected_by_kubelet(pod) || was_preempted(j, pod))
    r.disrupted.push_back(&pod);
  else if (has_failed_or_is_lost(pod))
    r.failed.push_back(&pod);
}

} // namespace

replicas classify_replicas(const reconcile_context& ctx) {
  replicas r;
  for (const auto& task : ctx.children.types)
    for (const auto& slot : task.slots)
      if (slot.pod && !slot.pod->terminating)
        classify_pod_in_slot(r, ctx.job, *slot.pod);
      else
        ++r.missing;
  for (const auto* children :
       {&ctx.children.out_of_range, &ctx.children.duplicates,
        &ctx.children.unplaced})
    for (const auto& child : *children)
      if (child.kind == child_kind::pod && !child.view->terminating)
        r.surplus.push_back(child.view);
  for (const auto* pod : r.surplus)
    r.all_succeeded &= pod->phase == k8s::pod_phase::succeeded;
  r.all_succeeded &= r.present + r.surplus.size() > 0;
  return r;
}

void adopt_or_create_missing_pods(reconcile_context& ctx) {
  for (const auto& task : ctx.children.types)
    adopt_or_create_missing_pods(ctx, task);
}

void delete_surplus_pods(reconcile_context& ctx, const replicas& r) {
  for (const auto* pod : r.surplus)
    ctx.plan_deletion_unless_blocked(child_kind::pod, *pod,
                                     "the job has no such replica");
}

void delete_disrupted_pods(reconcile_context& ctx, const replicas& r) {
  for (const auto* pod : r.disrupted)
    ctx.plan_deletion_unless_blocked(
        child_kind::pod, *pod,
        "it ended through no fault of the job, and is to be replaced");
}

void delete_failed_pods_or_annotate_wait(reconcile_context& ctx,
                                         const replicas& r) {
  for (const auto* pod : r.failed)
    delete_failed_pod_or_annotate_wait(ctx, *pod,
                                       "it failed and is to be replaced");
}

} // namespace troupe::frameworks::di::tasks
