#include "frameworks/core/pass/queueing.hpp"

#include "frameworks/core/model/names.hpp"
#include "frameworks/core/observed/failures.hpp"
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

template <class Predicate>
std::int32_t count_pods(const observed_children& seen, Predicate counts) {
  return static_cast<std::int32_t>(
      std::count_if(seen.pods().begin(), seen.pods().end(), counts));
}

/// Replicas of the type that have succeeded, those too whose pods are gone. One
/// that the job has no more does not count.
std::int32_t count_done(const replica_spec& r, const observed_children& seen,
                        const job_status& saved) {
  const auto& recorded = saved.recovery->completed_of(r.type);
  auto others = count_pods(seen, [&](const auto& pod) {
    return is_pod_of_job(pod, seen) && pod.at.type == r.label
           && pod.at.index < r.replicas
           && pod.phase == k8s::pod_phase::succeeded && !pod.is_leaving()
           && !recorded.contains(pod.at.index);
  });
  return std::min(recorded.count_below(r.replicas) + others, r.replicas);
}

/// Replicas of the type that run and are ready, or have failed for good in a
/// job that goes on without them.
std::int32_t count_well(const replica_spec& r, const job& j,
                        const observed_children& seen) {
  return count_pods(seen, [&](const auto& pod) {
    if (!is_pod_of_job(pod, seen) || pod.at.type != r.label
        || pod.at.index >= r.replicas || pod.is_leaving())
      return false;
    return (pod.phase == k8s::pod_phase::running && pod.ready)
           || has_failed_for_good(j, r, pod);
  });
}

std::int32_t count_live(const replica_spec& r, const observed_children& seen,
                        time_point now) {
  return count_pods(seen, [&](const auto& pod) {
    return may_be_pod_of_job(pod) && pod.at.type == r.label
           && is_live(pod, now);
  });
}

/// A pod that has succeeded needs nothing any more, unless a restart of the
/// whole job may make it again. What was given back stays so. What remains is
/// enough for the pods that there are, and for those that are still needed.
std::vector<pod_set_count> returned_pods(const queue_view& v,
                                         const observed_children& seen,
                                         const workload_state& w) {
  auto result = w.returned;
  if (v.of.failure_policy_or_default().may_restart_beyond_pod())
    return result;
  for (const auto& r : v.of.replicas) {
    auto done = count_of(v.done, r.label, 0);
    auto asked = count_of(w.asked, r.label, 0);
    // What a smaller size frees is given back with it, after its last pod.
    auto wanted = v.has_surplus_pods ? asked : std::min(r.replicas, asked);
    auto needed = std::max(wanted - done, count_live(r, seen, v.now));
    if (done == 0 || needed >= asked)
      continue;
    auto known =
        std::find_if(result.begin(), result.end(),
                     [&](const auto& one) { return one.name == r.label; });
    if (known == result.end())
      result.push_back({r.label, asked - needed});
    else
      known->count = std::max(known->count, asked - needed);
  }
  return result;
}

/// Whether all pods of this admission were ready at some time of it.
bool was_ready(const workload_state& w) {
  return w.pods_ready
         && (w.pods_ready->is_true
             || w.pods_ready->reason == "WaitForRecovery");
}

pods_report report_pods(const queue_view& v, const observed_children& seen,
                        const workload_state& w) {
  pods_report result;
  result.ready = std::all_of(
      v.of.replicas.begin(), v.of.replicas.end(), [&](const auto& r) {
        auto granted = count_of(w.granted, r.label, r.replicas);
        return count_well(r, v.of, seen) + count_of(v.done, r.label, 0)
               >= std::min(granted, r.replicas);
      });
  bool recovers =
      was_ready(w)
      && (!w.pods_ready->is_true || w.pods_ready->reason == "Recovered");
  if (result.ready)
    result.ready_reason = recovers ? "Recovered" : "Started";
  else
    result.ready_reason = was_ready(w) ? "WaitForRecovery" : "WaitForStart";
  result.returned = returned_pods(v, seen, w);
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

bool may_have_unseen_workload(const job& j, const cluster_options& cluster) {
  return may_be_queued(*j.kind, cluster) && carries_admission(j);
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
  if (!workload && (!waits || j.may_be_queued_by_controller || is_wrong))
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
  if (workload && workload->content->workload->lets_pods_run()) {
    for (const auto& r : j.replicas)
      if (auto done = count_done(r, seen, saved); done > 0)
        v.done.push_back({r.label, done});
    v.pods = report_pods(v, seen, *workload->content->workload);
  }
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
      || j.may_be_queued_by_controller || j.deleting || !j.left_to_other.empty()
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
  if (auto next = next_overdue_at(seen, now); next && !step.order)
    step.look_again_at =
        step.look_again_at ? std::min(*step.look_again_at, *next) : *next;
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
