#include "frameworks/core/pass/restart_scope.hpp"

#include "frameworks/core/observed/launcher_jobs.hpp"
#include "frameworks/core/pass/completed_replicas.hpp"
#include "frameworks/core/pass/restarts.hpp"

#include <algorithm>

namespace troupe::core {

namespace {

std::string named_types(const std::string& types) {
  bool several = types.find(',') != std::string::npos;
  return (several ? "replica types " : "replica type ") + types;
}

/// "job mnist is restarting (attempt 2) because pod ...".
std::string restarting_message(const job& j, const recovery_status& r,
                               const restart_decision& why) {
  auto what = "job " + j.name;
  if (!r.last.type.empty())
    what = named_types(r.last.type) + " of " + what
           + (r.last.type.find(',') == std::string::npos ? " is" : " are");
  else
    what += " is";
  return what + " restarting (attempt " + std::to_string(r.attempt)
         + ") because " + describe_cause(why)
         + (why.rule.empty() ? "" : ", by rule " + why.rule);
}

void set_restarting_condition(reconcile_context& ctx,
                              const std::string& message) {
  if (!ctx.set_condition(condition_type::restarting, true, "Restarting",
                         message))
    ctx.status().replace_condition_message(condition_type::restarting, message,
                                           ctx.now);
}

/// Where an annotation has the attempt, a process may end before it has written
/// the rest of the status: then the record has to say it.
void set_restarting_condition_of_record(reconcile_context& ctx) {
  const auto recovery = ctx.status().recovery;
  const auto& last = recovery->last;
  restart_decision why;
  why.pod = last.pod;
  why.node = last.node;
  why.what =
      (last.pod.empty() ? "was interrupted (" : "ended (") + last.reason + ")";
  set_restarting_condition(ctx, restarting_message(ctx.job, *recovery, why));
}

bool are_all_replicas_running_or_done(const reconcile_context& ctx) {
  return std::all_of(
      ctx.children.types.begin(), ctx.children.types.end(),
      [&](const replica_type_view& type) {
        return std::all_of(
            type.slots.begin(), type.slots.end(), [&](const slot_state& state) {
              if (!state.pod)
                return is_completed(ctx, *type.spec, state.at.index);
              return state.pod->phase == k8s::pod_phase::succeeded
                     || has_failed_for_good(ctx.job, *type.spec, *state.pod)
                     || (state.pod->phase == k8s::pod_phase::running
                         && !state.pod->is_leaving());
            });
      });
}

} // namespace

restart_state restart_state_of(const reconcile_context& ctx) {
  return {ctx.job,
          ctx.children,
          ctx.expectations,
          *ctx.status().recovery,
          *ctx.saved.recovery,
          ctx.now};
}

std::optional<restart_decision>
decide_restart_of_scope(const reconcile_context& ctx,
                        const observed_children& seen,
                        std::vector<lost_replica> others) {
  if (!ctx.job.policy.failure)
    return std::nullopt;
  auto state = restart_state_of(ctx);
  state.lost_replicas = std::move(others);
  for (const auto& lost : ctx.lost_nodes.lost)
    state.on_lost_nodes.push_back(lost.pod);
  auto found = decide_restart(state, seen, ctx.saved);
  bool must_wait = found && found->action != failure_action::fail_job
                   && state.wanted.attempt != state.saved.attempt;
  return must_wait ? std::nullopt : found;
}

std::string failure_by_rule(const reconcile_context& ctx,
                            const std::optional<restart_decision>& why) {
  return why && why->action == failure_action::fail_job
             ? "Job " + ctx.job.name + " has failed because "
                   + describe_cause(*why) + ", by rule " + why->rule
             : "";
}

bool fail_job_by_rule(reconcile_context& ctx,
                      const std::optional<restart_decision>& why) {
  auto message = failure_by_rule(ctx, why);
  return !message.empty()
         && ctx.fail_job(std::move(message), "Failed", /*warning=*/true);
}

std::string failure_by_budget(const reconcile_context& ctx,
                              const restart_decision& why) {
  if (ctx.status().recovery->attempt >= max_restart_attempt)
    return "Job " + ctx.job.name
           + " has failed because it has no number for another attempt";
  if (!why.counts)
    return {};
  auto exceeded =
      exceeded_restart_budget(ctx.job, *ctx.status().recovery,
                              total_restarts(ctx.status().restarts), ctx.now);
  return exceeded.empty()
             ? ""
             : "Job " + ctx.job.name + " has failed because " + exceeded;
}

void begin_attempt_or_fail(reconcile_context& ctx,
                           const restart_decision& why) {
  if (auto message = failure_by_budget(ctx, why); !message.empty())
    ctx.fail_job(std::move(message));
  else
    begin_attempt_of_scope(ctx, why);
}

void begin_attempt_of_scope(reconcile_context& ctx,
                            const restart_decision& why) {
  auto next = begin_attempt(restart_state_of(ctx), why);
  auto message = restarting_message(ctx.job, next, why);
  ctx.status().recovery = std::move(next);
  set_restarting_condition(ctx, message);
  ctx.add_event(why.counts, "Restarting", std::move(message));
}

void stop_older_attempts(reconcile_context& ctx) {
  auto state = restart_state_of(ctx);
  if (!may_stop_older_attempts(state))
    return;
  for (const auto* pod : ctx.children.of_older_attempts)
    ctx.plan_deletion_unless_blocked(child_kind::pod, *pod,
                                     "its attempt is over");
  auto start = delayed_start_of_attempt(state.wanted);
  if (start && ctx.now < *start)
    ctx.requeue_no_later_than(*start);
}

bool is_restart_under_way(const reconcile_context& ctx) {
  return stage_of_restart(restart_state_of(ctx)) != restart_stage::none;
}

void note_recovery(reconcile_context& ctx) {
  auto stage = stage_of_restart(restart_state_of(ctx));
  if (stage != restart_stage::starting
      || !are_all_replicas_running_or_done(ctx)) {
    if (stage != restart_stage::none && stage != restart_stage::decided
        && ctx.status().is_condition_true(condition_type::running))
      set_restarting_condition_of_record(ctx);
    return;
  }
  auto recovery = *ctx.status().recovery;
  recovery.last.recovered = truncate_to_seconds(ctx.now);
  ctx.status().recovery = std::move(recovery);
}

bool must_stop_before_resume(const reconcile_context& ctx,
                             const observed_children& seen) {
  const auto& pods = seen.pods();
  return ctx.job.failure_policy_or_default().may_restart_beyond_pod()
         && ctx.status().is_condition_true(condition_type::suspended)
         && std::any_of(pods.begin(), pods.end(), [&](const auto& pod) {
              return (pod.owned && pod.labels_match_job)
                     || (is_launcher_pod(pod, seen)
                         && (pod.terminating || !pod.is_finished()));
            });
}

std::optional<std::int32_t> attempt_for_new_pod(const job& j,
                                                const job_status& s,
                                                const std::string& type_label) {
  const auto& recovery = *s.recovery;
  const auto* type = j.find_replica_spec(type_label);
  if (recovery.attempt == 0
      && !j.failure_policy_or_default().may_restart_beyond_pod())
    return std::nullopt;
  return type ? recovery.attempt_of(type->type) : recovery.attempt;
}

} // namespace troupe::core
