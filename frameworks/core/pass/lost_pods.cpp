#include "frameworks/core/pass/lost_pods.hpp"

#include "frameworks/core/gangs/gang.hpp"
#include "frameworks/core/observed/observed.hpp"
#include "frameworks/core/pass/restarts.hpp"
#include "frameworks/core/recovery/losses.hpp"
#include "frameworks/core/recovery/lost_nodes.hpp"

#include <algorithm>

namespace troupe::core {

namespace {

bool is_ended(const reconcile_context& ctx) {
  return ctx.saved.is_finished() || ctx.status().is_finished();
}

/// Whether a step that knows the job's policy decides about this pod.
bool is_decided_by_policy(const reconcile_context& ctx, const child_view& pod) {
  if (!ctx.job.failure_policy_or_default().must_see_failures())
    return false;
  const auto* type = ctx.job.find_replica_spec(pod.at.type);
  return type && pod.attempt >= ctx.saved.recovery->attempt_of(type->type)
         && concerns_more_than_pod(
             decide_on_pod_taken_away(ctx.job, *type, pod, pod_loss::node_lost)
                 .action);
}

/// Whether it is to be deleted although no step has decided so. None does in a
/// job that is held for its gang.
bool is_deleted_because_lost(const reconcile_context& ctx,
                             const observed_children& seen,
                             const child_view& pod) {
  if (pod.terminating)
    return true;
  return !is_ended(ctx) && !ctx.job.policy.suspend
         && !(pod.owned && !pod.labels_match_job)
         && (!is_decided_by_policy(ctx, pod)
             || is_held_for_gang(seen, ctx.status(), ctx.cluster));
}

/// The UID of the pod that a decision changes; "" if it changes none.
struct get_changed_pod {
  const std::string& operator()(const delete_child& d) const {
    return uid_if_pod(d);
  }
  const std::string& operator()(const adopt_child& d) const {
    return uid_if_pod(d);
  }
  const std::string& operator()(const release_child& d) const {
    return uid_if_pod(d);
  }
  const std::string& operator()(const annotate_pod& d) const { return d.uid; }
  template <class Other>
  const std::string& operator()(const Other&) const {
    return none();
  }

  template <class Decision>
  static const std::string& uid_if_pod(const Decision& d) {
    return d.kind == child_kind::pod ? d.uid : none();
  }
  static const std::string& none() {
    static const std::string empty;
    return empty;
  }
};

bool is_to_be_deleted(const std::vector<decision>& decisions,
                      const std::string& uid) {
  return std::any_of(decisions.begin(), decisions.end(), [&](const auto& d) {
    return std::holds_alternative<delete_child>(d)
           && std::visit(get_changed_pod{}, d) == uid;
  });
}

void take_back_decisions_on(std::vector<decision>& decisions,
                            const std::string& uid) {
  decisions.erase(std::remove_if(decisions.begin(), decisions.end(),
                                 [&](const auto& d) {
                                   return std::visit(get_changed_pod{}, d)
                                          == uid;
                                 }),
                  decisions.end());
}

/// Of a job that goes on: its container restarts count, and nobody could count
/// them later.
bool must_record_restarts(const reconcile_context& ctx, const child_view& pod) {
  return pod.owned && !is_ended(ctx) && !ctx.job.policy.suspend
         && !ctx.job.kind->own.reconcile_job;
}

/// Whether it is replaced, and nobody else is restarted, in a job that restarts
/// more for a pod of which nothing is known but that it is missing.
bool is_replaced_alone(const reconcile_context& ctx, const child_view& pod) {
  const auto* type = ctx.job.find_replica_spec(pod.at.type);
  return type && !is_ended(ctx) && !ctx.job.policy.suspend
         && ctx.job.failure_policy_or_default().scope != restart_scope::pod
         && pod.at.index < type->replicas
         && pod.attempt >= ctx.saved.recovery->attempt_of(type->type)
         && !is_decided_by_policy(ctx, pod);
}

/// Not if this pass has not counted: nobody would ever save it. A job that
/// waits for its gang does not count, nor do kinds with a pass of their own.
bool waits_for_saved_counts(const reconcile_context& ctx,
                            const child_view& pod) {
  if (!is_replaced_alone(ctx, pod))
    return false;
  const auto& type = *ctx.job.find_replica_spec(pod.at.type);
  return !is_absence_recorded(ctx.job, ctx.saved, type)
         && is_absence_recorded(ctx.job, ctx.status(), type);
}

void delete_at_once(reconcile_context& ctx, const observed_children& seen,
                    const lost_pod& lost) {
  const auto& pod = *lost.pod;
  const auto uid = pod.uid.text();
  auto& decisions = ctx.result.decisions;
  if (ctx.expectations.is_child_operation_blocked(child_kind::pod, uid, ctx.now)
      || !(is_to_be_deleted(decisions, uid)
           || is_deleted_because_lost(ctx, seen, pod)))
    return;
  if (must_record_restarts(ctx, pod)
      && !record_restarts_of_lost_pod(ctx, seen, pod))
    return; // When that is saved.
  if (waits_for_saved_counts(ctx, pod))
    return; // Likewise, by the counts.
  take_back_decisions_on(decisions, uid);
  delete_child removal{child_kind::pod, pod.at, pod.name, uid, lost.why};
  removal.at_once = true;
  decisions.push_back(std::move(removal));
}

} // namespace

bool find_pods_of_lost_nodes(reconcile_context& ctx,
                             const observed_children& seen) {
  bool ended = is_ended(ctx);
  ctx.lost_nodes = find_lost_pods(ctx.job, seen, ctx.cluster, ended, ctx.now);
  return ended;
}

std::int32_t count_lost_pods_replaced_alone(const reconcile_context& ctx,
                                            const replica_type_view& type) {
  std::int32_t count = 0;
  for (const auto& state : type.slots)
    count += state.pod && state.pod->phase == k8s::pod_phase::running
                     && !state.pod->is_leaving()
                     && ctx.lost_nodes.is_lost(*state.pod)
                     && is_replaced_alone(ctx, *state.pod)
                 ? 1
                 : 0;
  return count;
}

void plan_reads_of_nodes_and_removal_of_lost_pods(reconcile_context& ctx,
                                                  const observed_children& seen,
                                                  bool had_ended) {
  if (is_ended(ctx) != had_ended)
    find_pods_of_lost_nodes(ctx, seen);
  auto& step = ctx.lost_nodes;
  for (auto& read : step.reads)
    ctx.result.decisions.push_back(std::move(read));
  for (const auto& lost : step.lost)
    delete_at_once(ctx, seen, lost);
  if (step.look_again_at)
    ctx.requeue_no_later_than(*step.look_again_at);
}

} // namespace troupe::core
