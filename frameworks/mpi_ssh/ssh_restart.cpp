#include "frameworks/mpi_ssh/ssh_restart.hpp"

#include "frameworks/core/observed/observed.hpp"
#include "frameworks/core/pass/completion.hpp"
#include "frameworks/core/pass/reported_progress.hpp"
#include "frameworks/core/pass/restart_scope.hpp"
#include "frameworks/core/pass/restarts.hpp"
#include "frameworks/core/recovery/losses.hpp"
#include "frameworks/mpi_ssh/ssh_attempts.hpp"
#include "frameworks/mpi_ssh/ssh_settings.hpp"
#include "frameworks/mpi_ssh/ssh_status.hpp"

namespace troupe::frameworks::mpi_ssh {

using namespace core;

namespace {

constexpr const char* failed_reason = "MPIJobFailed";

/// Why the job fails because of what it has lost, or "".
std::string why_job_fails(const reconcile_context& ctx,
                          const observed_children& seen,
                          const std::optional<restart_decision>& restart) {
  auto why = failure_by_rule(ctx, restart);
  if (why.empty() && exceeds_backoff_limit(ctx, seen))
    why = "Job " + ctx.job.name
          + " has failed because it has reached the specified backoff limit";
  if (why.empty() && restart)
    why = failure_by_budget(ctx, *restart);
  return why;
}

/// Its Job says so as soon as its controller has seen it.
bool has_launcher_succeeded(const reconcile_context& ctx) {
  const auto* pod = launcher_pod_in_slot(ctx);
  return pod && pod->phase == k8s::pod_phase::succeeded;
}

/// A Job that an order in flight makes is of an older attempt, maybe.
bool is_creating_launcher(const reconcile_context& ctx) {
  return ctx.expectations.is_creation_blocked(
      {child_kind::launcher_job, launcher_job_name(ctx.job)}, ctx.now);
}

/// What the next attempt waits for, or "".
std::string first_left_of_older_attempt(const reconcile_context& ctx,
                                        const observed_children& seen) {
  if (auto jobs = older_launcher_jobs(ctx, seen); !jobs.empty())
    return "Job " + jobs.front()->name;
  const auto& pods = ctx.children.of_older_attempts;
  return pods.empty() ? "" : pods.front()->name;
}

} // namespace

bool go_on_after_losses(reconcile_context& ctx, const observed_children& seen) {
  if (!ctx.job.failure_policy_or_default().must_see_failures()
      || (has_launcher_succeeded(ctx) && !has_own_success_policy(ctx.job))) {
    note_recovery(ctx);
    return true;
  }
  auto restart =
      decide_restart_of_scope(ctx, seen, find_lost_launchers(ctx, seen));
  auto failure = why_job_fails(ctx, seen, restart);
  if (!failure.empty()) {
    fail_job(ctx, failed_reason, failure);
    return false;
  }
  note_recovery(ctx);
  if (restart)
    begin_attempt_of_scope(ctx, *restart);
  else
    record_restarts(ctx, seen);
  return true;
}

bool go_on_unless_stalled(reconcile_context& ctx,
                          const observed_children& seen) {
  if (has_launcher_succeeded(ctx))
    return true;
  auto step = watch_for_stall(ctx, seen);
  if (step.restart)
    step.failure = failure_by_budget(ctx, *step.restart);
  if (!step.failure.empty()) {
    fail_job(ctx, failed_reason, step.failure);
    return false;
  }
  if (step.restart)
    begin_attempt_of_scope(ctx, *step.restart);
  return true;
}

void stop_older_attempts_of_all(reconcile_context& ctx,
                                const observed_children& seen) {
  if (may_stop_older_attempts(restart_state_of(ctx)))
    for (const auto* launcher : older_launcher_jobs(ctx, seen))
      ctx.plan_deletion_unless_blocked(child_kind::launcher_job, *launcher,
                                       "its attempt is over");
  stop_older_attempts(ctx);
}

void replace_failed_launcher(reconcile_context& ctx,
                             const observed_children& seen) {
  const auto* launcher = current_launcher_job(ctx, seen);
  const auto* pod = launcher_pod_in_slot(ctx);
  const auto* type = ctx.job.find_replica_spec(launcher_label);
  if (!decides_about_launcher(ctx.job) || !launcher || !type
      || !is_absence_recorded(ctx.job, ctx.saved, *type))
    return;
  if (!pod) { // No restart was decided: it alone is made again.
    if (has_launcher_failed_without_pod(ctx, seen, *launcher))
      ctx.plan_deletion_unless_blocked(child_kind::launcher_job, *launcher,
                                       "it has failed and is replaced");
    return;
  }
  if (!must_replace_failed_pod(ctx.job, *type, *pod)
      || !is_restart_recorded_if_needed(ctx.job, ctx.saved, *pod))
    return;
  auto then = delayed_replacement_time_if_any(*pod);
  if (then && ctx.now < *then)
    return ctx.requeue_no_later_than(*then);
  ctx.plan_deletion_unless_blocked(child_kind::launcher_job, *launcher,
                                   "its pod has failed and is replaced");
}

bool are_workers_held(const reconcile_context& ctx,
                      const observed_children& seen,
                      const replica_spec& workers) {
  if (ctx.status().recovery->attempt == 0)
    return false;
  return is_type_held_by_restart(restart_state_of(ctx), workers)
         || !older_launcher_jobs(ctx, seen).empty()
         || (is_restart_under_way(ctx)
             && (is_creating_launcher(ctx)
                 || is_pod_of_other_launcher_left(ctx, seen)));
}

void stop_launcher_of_finished_job(reconcile_context& ctx,
                                   const observed_children& seen) {
  const auto& policy = ctx.job.policy;
  if ((!policy.failure && !policy.success)
      || policy.clean == clean_pod_policy::none)
    return;
  for (const auto& v : seen.children_of_kind(child_kind::launcher_job))
    if (!v.batch_job->is_finished())
      ctx.plan_deletion_unless_blocked(child_kind::launcher_job, v,
                                       "the job has finished");
}

std::string describe_restart(const reconcile_context& ctx,
                             const observed_children& seen) {
  auto text = "is restarting (attempt "
              + std::to_string(ctx.status().recovery->attempt) + ")";
  auto left = first_left_of_older_attempt(ctx, seen);
  return text + (left.empty() ? "" : " and waits for the end of " + left)
         + ": ";
}

} // namespace troupe::frameworks::mpi_ssh
