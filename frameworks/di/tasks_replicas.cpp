#include "frameworks/di/tasks_replicas.hpp"

#include "frameworks/core/restarts.hpp"
#include "frameworks/core/scaling.hpp"
#include "frameworks/di/tasks_spec.hpp"

namespace troupe::frameworks::di::tasks {

using namespace core;

namespace {

constexpr std::int32_t ended_by_sigterm = 128 + 15;

/// Its node refused the pod: the kubelet found no resources for it ("OutOfcpu")
/// or could not give it its devices.
bool was_not_admitted(const child_view& pod) {
  return pod.phase == k8s::pod_phase::failed
         && (pod.status_reason == "UnexpectedAdmissionError"
             || pod.status_reason.rfind("OutOf", 0) == 0);
}

bool was_preempted(const job& j, const child_view& pod) {
  return pod.phase == k8s::pod_phase::failed
         && pod.exit_code == ended_by_sigterm && is_preemptible(j);
}

bool has_failed(const child_view& pod) {
  return pod.phase == k8s::pod_phase::failed
         || pod.phase == k8s::pod_phase::unknown;
}

void count_in_place(replicas& r, const job& j, const child_view& pod) {
  r.all_succeeded &= pod.phase == k8s::pod_phase::succeeded;
  ++r.present;
  if (was_not_admitted(pod) || was_preempted(j, pod))
    r.displaced.push_back(&pod);
  else if (has_failed(pod))
    r.failed.push_back(&pod);
}

} // namespace

replicas count_replicas(const reconcile_context& p) {
  replicas r;
  for (const auto& task : p.children.types)
    for (const auto& place : task.slots)
      if (place.pod && !place.pod->terminating)
        count_in_place(r, p.j, *place.pod);
      else
        ++r.missing;
  for (const auto* odd :
       {&p.children.out_of_range, &p.children.duplicates, &p.children.unplaced})
    for (const auto& child : *odd)
      if (child.kind == child_kind::pod && !child.view->terminating)
        r.surplus.push_back(child.view);
  for (const auto* pod : r.surplus)
    r.all_succeeded &= pod->phase == k8s::pod_phase::succeeded;
  r.all_succeeded &= r.present + r.surplus.size() > 0;
  return r;
}

void create_missing(reconcile_context& p) {
  for (const auto& task : p.children.types)
    create_missing_pods(p, task);
}

void delete_surplus(reconcile_context& p, const replicas& r) {
  for (const auto* pod : r.surplus)
    p.plan_delete(child_kind::pod, *pod, "the job has no place for it");
}

void delete_displaced(reconcile_context& p, const replicas& r) {
  for (const auto* pod : r.displaced)
    p.plan_delete(
        child_kind::pod, *pod,
        "it ended through no fault of the job, and is to be replaced");
}

void replace_failed(reconcile_context& p, const replicas& r) {
  for (const auto* pod : r.failed)
    replace_when_due(p, *pod, "it failed and is to be replaced");
}

} // namespace troupe::frameworks::di::tasks
