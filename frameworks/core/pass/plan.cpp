#include "frameworks/core/pass/plan.hpp"

#include "frameworks/core/gangs/gang.hpp"
#include "frameworks/core/observed/crash_loop.hpp"
#include "frameworks/core/observed/observed.hpp"
#include "frameworks/core/pass/adoption.hpp"
#include "frameworks/core/pass/auxiliary_objects.hpp"
#include "frameworks/core/pass/cleanup.hpp"
#include "frameworks/core/pass/completed_replicas.hpp"
#include "frameworks/core/pass/completion.hpp"
#include "frameworks/core/pass/counting.hpp"
#include "frameworks/core/pass/deadlines.hpp"
#include "frameworks/core/pass/foreign_queue.hpp"
#include "frameworks/core/pass/lost_pods.hpp"
#include "frameworks/core/pass/queueing.hpp"
#include "frameworks/core/pass/reconcile_context.hpp"
#include "frameworks/core/pass/reported_progress.hpp"
#include "frameworks/core/pass/restart_scope.hpp"
#include "frameworks/core/pass/restarts.hpp"
#include "frameworks/core/pass/scaling.hpp"
#include "frameworks/core/pass/summary.hpp"
#include "frameworks/core/pass/suspension.hpp"

namespace troupe::core {

namespace {

void set_created_condition(reconcile_context& ctx) {
  ctx.set_condition(condition_type::created, true, "Created",
                    fill_template("{kind} {name} is created.", ctx.job));
}

/// A job that finished under another operator may have no completionTime.
void ensure_completion_time(reconcile_context& ctx) {
  auto& s = ctx.status();
  if (s.completion_time)
    return;
  const auto* end = s.find_condition(s.is_condition_true(condition_type::failed)
                                         ? condition_type::failed
                                         : condition_type::succeeded);
  s.completion_time = end->last_transition_time;
}

void clean_up_or_delete_finished_job(reconcile_context& ctx,
                                     const observed_children& seen) {
  ensure_completion_time(ctx);
  finalize_replica_counts(ctx.status(), ctx.job.policy.clean);
  plan_release_of_mislabelled_children(ctx);
  delete_children_by_clean_pod_policy(ctx, seen);
  delete_pod_groups_of_finished_job(ctx, seen);
  delete_job_after_ttl(ctx, ttl_expires_at(ctx.job, ctx.status()));
}

void fail_invalid_job(reconcile_context& ctx, const std::string& why) {
  ctx.fail_job(ctx.job.kind->names.type.kind + " failed validation because "
                   + why,
               "FailedValidation", /*warning=*/true);
}

/// The message if a limit (backoffLimit, activeDeadlineSeconds) is exceeded,
/// else "". The texts are those of training-operator v1.
std::string exceeded_limit_message(const reconcile_context& ctx,
                                   const observed_children& seen) {
  if (exceeds_backoff_limit(ctx, seen))
    return "it has reached the specified backoff limit";
  auto end = active_deadline_at(ctx.job, ctx.status());
  return end && ctx.now >= *end ? "it was active longer than specified deadline"
                                : "";
}

/// Fails the job if a limit is exceeded; returns whether it did. The replica
/// counts are not updated, as in training-operator v1, unless clean-up deletes
/// the job's pods.
bool fail_if_limit_exceeded(reconcile_context& ctx,
                            const observed_children& seen) {
  auto why = exceeded_limit_message(ctx, seen);
  if (why.empty())
    return false;
  if (ctx.job.policy.clean != clean_pod_policy::none)
    update_replica_counts_and_add_event(ctx);
  return ctx.fail_job("Job " + ctx.job.name + " has failed because " + why);
}

void record_restarts_and_reconcile_children(reconcile_context& ctx,
                                            const observed_children& seen) {
  if (auto end = active_deadline_at(ctx.job, ctx.status()))
    ctx.requeue_no_later_than(*end);
  plan_release_of_mislabelled_children(ctx);
  // Until it is saved why all pods are replaced, none is.
  if (ctx.status().recovery->attempt != ctx.saved.recovery->attempt)
    return;
  record_restarts(ctx, seen);
  stop_older_attempts(ctx);
  delete_surplus_children(ctx);
  delete_failed_pods_for_replacement(ctx);
  if (ctx.pod_creation_blocker.empty())
    adopt_or_create_missing_children(ctx);
}

/// startTime is not set, so the deadline does not run meanwhile, unless the job
/// was resumed: that sets it.
void note_gang_wait_and_requeue(reconcile_context& ctx) {
  auto& s = ctx.status();
  if (!s.gang_wait_since
      || (s.start_time && *s.gang_wait_since < *s.start_time))
    s.gang_wait_since = truncate_to_seconds(ctx.now);
  if (auto end = active_deadline_at(ctx.job, s))
    ctx.requeue_no_later_than(*end);
}

void restart_or_fail_stalled_job(reconcile_context& ctx,
                                 const observed_children& seen) {
  auto step = watch_for_stall(ctx, seen);
  if (!step.failure.empty())
    ctx.fail_job(std::move(step.failure), "Failed", /*warning=*/true);
  else if (step.restart)
    begin_attempt_or_fail(ctx, *step.restart);
}

void reconcile_by_job_state(reconcile_context& ctx,
                            const observed_children& seen) {
  if (ctx.saved.is_finished())
    return clean_up_or_delete_finished_job(ctx, seen);
  if (ctx.status().is_finished())
    return; // Wait until the finished status is saved.
  set_created_condition(ctx);
  if (const auto& why = ctx.validation_or_limit_error(seen); !why.empty())
    return fail_invalid_job(ctx, why);
  if (ctx.job.policy.suspend || must_stop_before_resume(ctx, seen))
    return suspend_job(ctx, seen);
  resume_job_if_suspended(ctx);
  if (fail_if_limit_exceeded(ctx, seen))
    return;
  ctx.pod_creation_blocker = reconcile_auxiliary_and_get_pod_blocker(ctx, seen);
  if (is_held_for_gang(seen, ctx.status(), ctx.cluster))
    return note_gang_wait_and_requeue(ctx);
  if (!ctx.status().start_time)
    ctx.status().start_time = truncate_to_seconds(ctx.now);
  record_completed_replicas(ctx);
  update_replica_counts_and_add_event(ctx);
  const auto restart = decide_restart_of_scope(ctx, seen);
  if (fail_job_by_rule(ctx, restart))
    return;
  note_recovery(ctx);
  update_conditions_or_end_job(ctx);
  if (restart && !ctx.status().is_finished())
    begin_attempt_or_fail(ctx, *restart);
  else if (!ctx.status().is_finished())
    restart_or_fail_stalled_job(ctx, seen);
  if (!ctx.status().is_finished())
    record_restarts_and_reconcile_children(ctx, seen);
}

/// Of a job whose queue, if it is in one, has decided already.
plan_result plan_in_queue(const job& j, const observed_children& seen,
                          const expectations& open, const job_status& status,
                          const job_status& saved, time_point now,
                          const cluster_options& cluster) {
  plan_result result;
  result.status = status;
  if (!j.left_to_other.empty()) {
    result.summary = "is left alone: " + j.left_to_other;
    return result;
  }
  if (j.deleting || is_managed_externally(j)) {
    result.summary = j.deleting ? "is being deleted"
                                : "is managed by " + *j.policy.managed_by;
    if (!is_managed_externally(j))
      lower_counts_of_deleted_job(result.status, j, seen);
    return result;
  }
  // If the saved status is finished, it takes precedence over the status
  // decided here.
  if (saved.is_finished() && !status.is_finished())
    result.status = saved;
  reconcile_context ctx{j,
                        open,
                        saved,
                        now,
                        cluster,
                        classify_children(j, seen, *result.status.recovery),
                        std::move(result)};
  bool had_ended = find_pods_of_lost_nodes(ctx, seen);
  if (j.kind->own.reconcile_job)
    j.kind->own.reconcile_job(ctx, seen);
  else
    reconcile_by_job_state(ctx, seen);
  if (!saved.is_finished()) {
    end_stall(ctx, seen);
    note_reported_progress(ctx, seen);
  }
  plan_reads_of_nodes_and_removal_of_lost_pods(ctx, seen, had_ended);
  if (auto next = open.next_retry_at(now))
    ctx.requeue_no_later_than(*next);
  for (const auto& pod : seen.pods()) // The summary changes then.
    if (auto end = crash_loop_ends_at(pod, now))
      ctx.requeue_no_later_than(*end);
  if (ctx.result.summary.empty())
    ctx.result.summary = summarize_job_state(ctx, seen);
  if (!saved.is_finished())
    ctx.result.summary += describe_foreign_queue(j, cluster);
  return std::move(ctx.result);
}

} // namespace

bool is_managed_externally(const job& j) {
  return j.policy.managed_by
         && *j.policy.managed_by != j.kind->names.managed_by;
}

plan_result plan(const job& j, const observed_children& seen,
                 const expectations& open, const job_status& status,
                 const job_status& saved, time_point now,
                 const cluster_options& cluster) {
  const auto queue = find_queue_step(j, seen, open, saved, now, cluster);
  if (queue && queue->verdict == queue_verdict::wait) {
    plan_result result;
    result.status = status;
    plan_queue_step(result, *queue, open, now, j);
    return result;
  }
  auto held = job_within_queue(j, queue);
  auto result =
      plan_in_queue(held ? *held : j, seen, open, status, saved, now, cluster);
  if (queue)
    plan_queue_step(result, *queue, open, now, j);
  if (held && !queue->most_pods.empty())
    result.as_granted = std::make_shared<const job>(std::move(*held));
  return result;
}

} // namespace troupe::core
