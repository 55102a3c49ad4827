#include "frameworks/core/pass/queueing.hpp"

#include "frameworks/core/model/names.hpp"
#include "frameworks/core/observed/launcher_jobs.hpp"
#include "frameworks/core/observed/observed.hpp"
#include "frameworks/core/queueing/workload_comparison.hpp"
#include "frameworks/core/queueing/workload_content.hpp"

#include <algorithm>
#include <tuple>

namespace troupe::core {

namespace {

const workload_state& state_of(const child_view& v) {
  return *v.content->workload;
}

/// Of several, as of a job that grows: one that is not finished, then one that
/// has quota, then the older.
void find_workloads(queue_view& v, const observed_children& seen) {
  auto rank = [](const child_view& w) {
    const auto& state = state_of(w);
    bool open = !state.is(state.finished);
    return std::make_tuple(open, state.holds_quota() && open,
                           -w.created.time_since_epoch().count());
  };
  for (const auto& w : seen.children_of_kind(child_kind::workload))
    if (w.owned && (!v.workload || rank(w) > rank(*v.workload)))
      v.workload = &w;
  for (const auto& w : seen.children_of_kind(child_kind::workload)) {
    if (!w.owned || &w == v.workload)
      continue;
    const auto& state = state_of(w);
    if (!state.is(state.finished))
      v.second = &w;
    else if (state.keeps_quota && !w.terminating)
      v.spent = &w;
  }
}

bool is_pod_of_job(const child_view& pod, const observed_children& seen) {
  return pod.owned || is_launcher_pod(pod, seen);
}

/// The launcher Job of a pod may be gone before the pod is: such a pod keeps
/// quota. It gives none back, because its labels alone prove nothing.
bool may_be_pod_of_job(const child_view& pod) {
  return pod.owned || !(pod.made_by_job == uid_key{});
}

/// A pod whose grace period is over does not keep quota: its node may be dead.
/// nullopt: it is not being deleted.
std::optional<time_point> overdue_at(const child_view& pod) {
  return pod.terminating && pod.leaves_by != time_point{}
             ? std::optional{pod.leaves_by + overdue_pod_keeps_quota}
             : std::nullopt;
}

bool is_live(const child_view& pod, time_point now) {
  auto end = overdue_at(pod);
  return !pod.is_finished() && !(end && *end <= now);
}

/// Nothing else tells that a pod of a dead node is overdue.
std::optional<time_point> next_overdue_at(const observed_children& seen,
                                          time_point now) {
  std::optional<time_point> next;
  for (const auto& pod : seen.pods())
    if (auto end = overdue_at(pod);
        end && may_be_pod_of_job(pod) && is_live(pod, now))
      next = next ? std::min(*next, *end) : *end;
  return next;
}

/// Pods that its launcher Job, if it is not suspended, may make at any time.
bool launcher_may_make_pods(const observed_children& seen) {
  const auto* launcher = own_launcher_job(seen);
  return launcher && launcher->batch_job && !launcher->terminating
         && !launcher->batch_job->suspended;
}

/// A creation that has failed is not tried again while the job is held.
bool may_get_pods(const observed_children& seen, const expectations& open) {
  return launcher_may_make_pods(seen) || open.has_creation_in_flight();
}

const replica_status* status_of(const job_status& saved,
                                const replica_spec& r) {
  auto i = saved.replicas.find(r.type);
  return i == saved.replicas.end() ? nullptr : &i->second;
}

/// Pods of the type that have succeeded, those too that are gone.
std::int32_t count_succeeded(const replica_spec& r,
                             const observed_children& seen,
                             const job_status& saved) {
  auto there = std::count_if(
      seen.pods().begin(), seen.pods().end(), [&](const auto& pod) {
        return is_pod_of_job(pod, seen) && pod.at.type == r.label
               && pod.phase == k8s::pod_phase::succeeded && !pod.is_leaving();
      });
  const auto* counts = status_of(saved, r);
  return std::max(static_cast<std::int32_t>(there),
                  counts ? counts->succeeded : 0);
}

std::int32_t count_ready(const replica_spec& r, const observed_children& seen) {
  return static_cast<std::int32_t>(std::count_if(
      seen.pods().begin(), seen.pods().end(), [&](const auto& pod) {
        return is_pod_of_job(pod, seen) && pod.at.type == r.label
               && pod.phase == k8s::pod_phase::running && pod.ready
               && !pod.is_leaving();
      }));
}

/// A pod that has succeeded needs nothing any more, unless a restart of the
/// whole job may make it again. What was given back stays so.
std::vector<pod_set_count> returned_pods(const job& j,
                                         const observed_children& seen,
                                         const job_status& saved,
                                         const workload_state& w) {
  auto result = w.returned;
  if (j.failure_policy_or_default().may_restart_beyond_pod())
    return result;
  for (const auto& r : j.replicas) {
    auto count = std::min(count_succeeded(r, seen, saved), r.replicas);
    auto known =
        std::find_if(result.begin(), result.end(),
                     [&](const auto& one) { return one.name == r.label; });
    if (known != result.end())
      known->count = std::max(known->count, count);
    else if (count > 0)
      result.push_back({r.label, count});
  }
  return result;
}

pods_report report_pods(const job& j, const observed_children& seen,
                        const job_status& saved, const workload_state& w) {
  std::int32_t granted = 0;
  for (const auto& one : w.granted)
    granted += one.count;
  std::int32_t well = 0;
  for (const auto& r : j.replicas)
    well += count_ready(r, seen) + count_succeeded(r, seen, saved);
  const auto& before = w.pods_ready;
  bool recovers =
      before
      && (before->reason == "WaitForRecovery" || before->reason == "Recovered");
  pods_report result;
  result.ready = well >= std::min(granted, j.total_replicas());
  if (result.ready)
    result.ready_reason = recovers ? "Recovered" : "Started";
  else
    result.ready_reason =
        before && (before->is_true || before->reason == "WaitForRecovery")
            ? "WaitForRecovery"
            : "WaitForStart";
  result.returned = returned_pods(j, seen, saved, w);
  return result;
}

queue_step waits_for_knowledge() {
  queue_step step;
  step.verdict = queue_verdict::wait;
  step.summary = "waits until it is known whether Kueue is there";
  return step;
}

/// The end gives everything back, and would be told after it.
bool is_report_before_end(const queue_order& order, const job_status& status) {
  return order.what == queue_action::report && status.is_finished();
}

bool needs_queue(const job& j, const job_status& saved,
                 const cluster_options& cluster) {
  // A suspension leaves the time of the start.
  bool runs = !j.policy.suspend && saved.start_time
              && !saved.is_condition_true(condition_type::suspended)
              && !carries_admission(j);
  return !runs && is_to_wait_without_label(j, cluster);
}

bool has_pods_to_clean_up(const job& j, int live_pods) {
  return j.policy.clean != clean_pod_policy::none && live_pods > 0;
}

} // namespace

std::string name_in_queueing(const framework& kind) {
  return kind.names.type.version + "/" + kind.names.type.plural;
}

bool is_queueable(const framework& kind) {
  return kind.names.type.group == "kubeflow.org";
}

bool is_to_wait_without_label(const job& j, const cluster_options& cluster) {
  if (!is_queueable(*j.kind))
    return false;
  const auto& all = cluster.queueing_namespaces;
  return all.count(j.ns) > 0
         || (all.count("*") > 0 && j.ns != "kube-system"
             && j.ns != "kueue-system");
}

bool has_or_needs_queue(const job& j, const job_status& saved,
                        const cluster_options& cluster) {
  return !j.queue.empty() || needs_queue(j, saved, cluster);
}

bool may_be_queued(const framework& kind, const cluster_options& cluster) {
  const auto& q = cluster.queueing;
  return q.on && is_queueable(kind)
         && q.left_to_kueue.count(name_in_queueing(kind)) == 0;
}

std::optional<queue_view> look_at_queue(const job& j,
                                        const observed_children& seen,
                                        const expectations& open,
                                        const job_status& saved, time_point now,
                                        const cluster_options& cluster) {
  bool only_holds = cluster.queueing.holds && is_queueable(*j.kind);
  if (!may_be_queued(*j.kind, cluster) && !only_holds)
    return std::nullopt;
  if (!j.left_to_other.empty() || is_managed_externally(j))
    return std::nullopt;
  queue_view v{j, now};
  find_workloads(v, seen);
  const auto* workload = v.workload;
  // A Workload of no pods would be refused.
  bool is_wrong = !j.validation_error.empty() || !j.limit_error.empty()
                  || j.replicas.empty();
  // One that has a Workload is let run by that alone.
  v.waits_without_label = workload ? is_to_wait_without_label(j, cluster)
                                   : needs_queue(j, saved, cluster);
  bool waits = !j.queue.empty() || v.waits_without_label;
  if (!workload && (!waits || j.has_controller || is_wrong))
    return std::nullopt;
  v.looked_up_in_vain = seen.was_looked_up_in_vain(child_kind::workload);
  v.ended = saved.is_finished();
  v.succeeded = saved.is_condition_true(condition_type::succeeded);
  if (const auto* end = saved.find_condition(
          v.succeeded ? condition_type::succeeded : condition_type::failed))
    v.end_message = end->message;
  v.live_pods = static_cast<int>(std::count_if(
      seen.pods().begin(), seen.pods().end(), [&](const auto& pod) {
        return may_be_pod_of_job(pod) && is_live(pod, now);
      }));
  v.may_get_pods = may_get_pods(seen, open);
  if (only_holds)
    v.held_because = cluster.queueing.why_off;
  v.has_surplus_pods =
      std::any_of(seen.pods().begin(), seen.pods().end(), [&](const auto& pod) {
        const auto* r = j.find_replica_spec(pod.at.type);
        return is_pod_of_job(pod, seen) && is_live(pod, now)
               && !(r && pod.at.index < r->replicas);
      });
  v.cleaned_up = !has_pods_to_clean_up(j, v.live_pods);
  if (workload && workload->content->workload->lets_pods_run())
    v.pods = report_pods(j, seen, saved, *workload->content->workload);
  return v;
}

const child_view* find_workload_without_quota(const job& j,
                                              const observed_children& seen,
                                              const cluster_options& cluster) {
  if (!may_be_queued(*j.kind, cluster) || j.deleting)
    return nullptr;
  queue_view v{j, {}};
  find_workloads(v, seen);
  if (!v.workload || v.workload->terminating)
    return nullptr;
  const auto& w = state_of(*v.workload);
  bool waits = w.active && !w.is(w.quota_reserved) && !w.is(w.finished);
  return waits ? v.workload : nullptr;
}

bool waits_to_know_of_queue(const job& j, const observed_children& seen,
                            const job_status& saved,
                            const cluster_options& cluster) {
  if (!is_queueable(*j.kind) || !has_or_needs_queue(j, saved, cluster)
      || j.has_controller || j.deleting || !j.left_to_other.empty()
      || is_managed_externally(j) || saved.is_finished())
    return false;
  const auto& all = seen.children_of_kind(child_kind::workload);
  // One with our label says that we have kept it before.
  bool is_ours = std::any_of(all.begin(), all.end(), [](const auto& w) {
    return w.owned && !w.unselected;
  });
  const auto& q = cluster.queueing;
  return q.unknown
         || (!is_ours && q.undecided.count(name_in_queueing(*j.kind)) > 0);
}

std::optional<queue_step>
find_queue_step(const job& j, const observed_children& seen,
                const expectations& open, const job_status& saved,
                time_point now, const cluster_options& cluster) {
  if (waits_to_know_of_queue(j, seen, saved, cluster))
    return waits_for_knowledge();
  auto v = look_at_queue(j, seen, open, saved, now, cluster);
  if (!v)
    return std::nullopt;
  auto step = next_queue_step(*v);
  if (!step.order)
    step.look_again_at = next_overdue_at(seen, now);
  return step;
}

std::optional<job> job_within_queue(const job& j,
                                    const std::optional<queue_step>& step) {
  if (!step)
    return std::nullopt;
  bool held = step->verdict == queue_verdict::hold && !j.policy.suspend;
  if (!held && step->most_pods.empty())
    return std::nullopt;
  auto result = j;
  result.policy.suspend |= held;
  for (auto& r : result.replicas)
    for (const auto& most : step->most_pods)
      if (most.name == r.label)
        r.replicas = std::min(r.replicas, most.count);
  return result;
}

void plan_queue_step(plan_result& result, const queue_step& step,
                     const expectations& open, time_point now, const job& j) {
  auto may_order = [&](const std::string& uid) {
    return !open.is_child_operation_blocked(child_kind::workload, uid, now);
  };
  if (step.needs_lookup && may_order(""))
    result.decisions.push_back(read_auxiliary{child_kind::workload,
                                              workload_name(j), "",
                                              "Kueue may have made it", 0});
  bool may_write = step.order && may_order(operation_key(*step.order))
                   && may_order(step.order->uid);
  if (may_write && !is_report_before_end(*step.order, result.status))
    result.decisions.push_back(*step.order);
  if (!step.summary.empty())
    result.summary = step.summary;
  for (const auto& next : {open.next_retry_at(now), step.look_again_at})
    if (next && (!result.requeue_at || *next < *result.requeue_at))
      result.requeue_at = next;
}

} // namespace troupe::core
