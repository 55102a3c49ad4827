#include "frameworks/core/pass/reported_progress.hpp"

#include "frameworks/core/base/retry.hpp"
#include "frameworks/core/observed/launcher_jobs.hpp"
#include "frameworks/core/pass/desired_replicas.hpp"
#include "frameworks/core/pass/restart_scope.hpp"
#include "frameworks/core/recovery/restart_cause.hpp"
#include "frameworks/core/spec/pod_progress.hpp"
#include "k8s/text.hpp"

#include <algorithm>

namespace troupe::core {

void note_reported_progress(reconcile_context& ctx,
                            const observed_children& seen) {
  const auto& told = *seen.reported();
  auto& status = ctx.status();
  const auto& noted = *status.progress;
  if (told == progress_status{} || told == noted)
    return;
  auto due = noted.time + between_progress_writes;
  bool waits = noted != progress_status{} && !status.is_finished()
               && !has_wait_ended_or_clock_reset(noted.time, due, ctx.now);
  if (waits)
    ctx.requeue_no_later_than(due);
  else
    status.progress = seen.reported();
}

// -- stalls -------------------------------------------------------------------

namespace {

bool is_any_active(const job_status& s) {
  return std::any_of(s.replicas.begin(), s.replicas.end(),
                     [](const auto& r) { return r.second.active > 0; });
}

/// Adds what the pods of the job say. Returns whether they can tell how far the
/// job is: each of them was told where to report, which those of before the
/// policy were not, or the log of one is read.
bool add_facts_of_pods(silence_facts& to, bool may_report, bool has_rules,
                       const observed_children& seen) {
  bool all_told = may_report;
  bool is_log_read = false;
  for (const auto& pod : seen.pods()) {
    if (pod.is_finished() || !(pod.owned || is_launcher_pod(pod, seen)))
      continue;
    all_told = all_told && pod.told_to_report;
    is_log_read =
        is_log_read || (has_rules && pod.uid == seen.pod_of_read_log());
    to.container_restarts += pod.restarts;
    to.latest_start = std::max(to.latest_start, pod.started);
  }
  return all_told || is_log_read;
}

silence_facts facts_of_silence(const reconcile_context& ctx,
                               const observed_children& seen) {
  const auto& status = ctx.status();
  silence_facts f;
  bool may_report = tells_pods_where_to_report(ctx.job, ctx.cluster);
  bool has_rules = ctx.job.policy.progress.log != nullptr;
  f.all_run = add_facts_of_pods(f, may_report, has_rules, seen)
              && !is_restart_under_way(ctx) && is_any_active(status)
              && do_all_run(ctx.job, seen, status);
  f.told = seen.reported()->time;
  f.told_as_saved = ctx.saved.progress->time;
  f.missed = ctx.cluster.reports_missed;
  f.now = ctx.now;
  return f;
}

/// What was told last, by this process or before it.
const progress_status& last_told(const reconcile_context& ctx,
                                 const observed_children& seen) {
  return *seen.reported() == progress_status{} ? *ctx.status().progress
                                               : *seen.reported();
}

void tell_stall(reconcile_context& ctx, const std::string& silence) {
  auto message = "job " + ctx.job.name + " is stalled: " + silence;
  if (ctx.set_condition(condition_type::stalled, true, "Stalled", message))
    ctx.add_event(true, "Stalled", std::move(message));
  else
    ctx.status().replace_condition_message(condition_type::stalled, message,
                                           ctx.now);
}

restart_decision restart_after_stall(const std::string& silence) {
  restart_decision d;
  d.reason = stalled_reason;
  d.what = "is stalled: " + silence;
  return d;
}

} // namespace

std::string describe_silence(const silence_clock& c,
                             const progress_status& last, time_point now) {
  auto length = std::chrono::floor<seconds>(now - c.silent_since);
  auto told = describe_progress(last);
  return "no progress for " + k8s::human_duration(length) + " ("
         + (told.empty() ? "nothing was reported so far" : "last: " + told)
         + ")";
}

stall_step watch_for_stall(reconcile_context& ctx,
                           const observed_children& seen) {
  const auto& policy = ctx.job.policy.progress;
  if (!policy.stalled_after)
    return {};
  const auto& before = *seen.silence();
  auto clock = follow_silence(policy, before, facts_of_silence(ctx, seen));
  if (clock == before)
    ctx.result.silence = seen.silence();
  else
    ctx.result.silence = clock;
  if (!clock.running_since)
    return {};
  if (!clock.is_stalled) {
    ctx.requeue_no_later_than(clock.due);
    return {};
  }
  // A process that begins finds it told.
  if (policy.on_stalled == stall_action::report
      && ctx.status().is_condition_true(condition_type::stalled))
    return {};
  auto silence = describe_silence(clock, last_told(ctx, seen), ctx.now);
  tell_stall(ctx, silence);
  stall_step step;
  if (policy.on_stalled == stall_action::restart_job)
    step.restart = restart_after_stall(silence);
  if (policy.on_stalled == stall_action::fail_job)
    step.failure =
        "Job " + ctx.job.name + " has failed because it is stalled: " + silence;
  return step;
}

void end_stall(reconcile_context& ctx, const observed_children& seen) {
  auto& status = ctx.status();
  const auto* c = status.find_condition(condition_type::stalled);
  if (!c || !c->status)
    return;
  bool tells = seen.reported()->time >= c->last_transition_time;
  bool cannot = ctx.job.policy.suspend
                || status.is_condition_true(condition_type::succeeded)
                || !ctx.job.policy.progress.stalled_after;
  if (!tells && !cannot)
    return;
  auto message =
      "job " + ctx.job.name
      + (tells ? " makes progress again: " + describe_progress(*seen.reported())
               : " is not watched for progress now");
  const char* reason = tells ? "MakesProgress" : "NotWatched";
  if (!ctx.set_condition(condition_type::stalled, false, reason, message))
    return;
  status.put_condition_first(condition_type::stalled);
  if (tells)
    ctx.add_event(false, reason, std::move(message));
}

} // namespace troupe::core
