#include "frameworks/core/pass/summary.hpp"

#include "frameworks/core/gangs/gang_events.hpp"
#include "frameworks/core/model/names.hpp"
#include "frameworks/core/observed/crash_loop.hpp"
#include "frameworks/core/observed/observed.hpp"
#include "frameworks/core/pass/desired_replicas.hpp"
#include "frameworks/core/pass/restart_scope.hpp"
#include "frameworks/core/pass/restarts.hpp"
#include "frameworks/core/recovery/restart_progress.hpp"

#include <algorithm>

namespace troupe::core {

namespace {

std::string condition_message(const job_status& s, const char* type) {
  const auto* c = s.find_condition(type);
  return c ? c->message : std::string{};
}

/// The first pod that does not get on by itself, else the first that waits for
/// those or has failed, or "".
std::string first_pod_problem_clause(const reconcile_context& ctx) {
  std::string waits;
  for (const auto& type : ctx.children.types)
    for (const auto& state : type.slots) {
      if (!state.pod)
        continue;
      const auto& pod = *state.pod;
      if (auto loop = find_crash_loop(pod, ctx.now); loop && !pod.is_finished())
        return "; " + pod.name + ": " + describe_crash_loop(*loop);
      if (pod.problem->message.empty())
        continue;
      auto text = "; " + pod.problem->reason + ": " + pod.problem->message;
      if (!pod.is_finished() && pod.problem->reason != "Undetermined"
          && !is_about_other_gang_members(pod.problem->message))
        return text;
      if (waits.empty())
        waits = text;
    }
  return waits;
}

/// The first replica without a pod that counts, or "".
std::string first_pod_not_running_clause(const reconcile_context& ctx) {
  for (const auto& type : ctx.children.types)
    for (const auto& state : type.slots) {
      if (!state.pod)
        return "; " + child_name(ctx.job, state.at) + " does not exist yet";
      if (state.pod->terminating)
        return "; " + child_name(ctx.job, state.at) + " is being deleted";
      if (state.pod->phase == k8s::pod_phase::pending)
        return "; " + child_name(ctx.job, state.at)
               + (state.pod->scheduled ? " is starting"
                                       : " is not scheduled yet");
    }
  return {};
}

std::string unrecorded_restart_clause(const reconcile_context& ctx) {
  for (const auto* pod : pods_to_replace(ctx))
    if (!is_restart_recorded_if_needed(ctx.job, ctx.saved, *pod))
      return "; the restart of " + pod->name + " is being recorded";
  return {};
}

/// The first failed pod that waits for its replacement, or "".
std::string first_replacement_wait_clause(const reconcile_context& ctx) {
  for (const auto* pod : pods_to_replace(ctx))
    if (auto then = delayed_replacement_time_if_any(*pod);
        then && ctx.now < *then)
      return "; " + describe_replacement_wait(*pod);
  return {};
}

/// "; stopping: 3 of 8 pods still run, the last may take until 12:01:00 UTC",
/// "" if none does. The time is left out until the server has told it of each.
std::string stopping_pods_clause(const reconcile_context& ctx,
                                 const observed_children& seen) {
  std::int64_t running = 0;
  time_point last{};
  bool known = true;
  for (const auto& pod : seen.pods()) {
    if (!pod.owned || !pod.labels_match_job
        || pod.phase != k8s::pod_phase::running)
      continue;
    ++running;
    known = known && pod.leaves_by != time_point{};
    last = std::max(last, pod.leaves_by);
  }
  if (running == 0)
    return {};
  auto all = std::max<std::int64_t>(running, ctx.job.total_replicas());
  auto text = "; stopping: " + std::to_string(running) + " of "
              + std::to_string(all) + (all == 1 ? " pod" : " pods") + " still "
              + (running == 1 ? "runs" : "run");
  return text + last_end_clause(known ? last : time_point{});
}

/// "restarting (attempt 2): ".
std::string restarting_clause(const restart_progress& p) {
  return "restarting (attempt " + std::to_string(p.attempt) + "): ";
}

/// " (attempt 2 after OOMKilled)", "" of a job that was never restarted.
std::string latest_attempt_clause(const recovery_status& r) {
  if (r.attempt == 0)
    return {};
  return " (attempt " + std::to_string(r.attempt)
         + (r.last.reason.empty() ? "" : " after " + r.last.reason) + ")";
}

std::string describe_progress(const reconcile_context& ctx,
                              const observed_children& seen) {
  std::int64_t active = 0;
  std::int64_t succeeded = 0;
  std::int64_t failed = 0;
  for (const auto& [type, r] : ctx.status().replicas) {
    active += r.active;
    succeeded += r.succeeded;
    failed += r.failed;
  }
  auto restart = progress_of_restart(restart_state_of(ctx));
  auto progress = describe_progress_of_restart(restart);
  if (!progress.empty())
    return restarting_clause(restart) + progress;
  auto text =
      (restart.stage == restart_stage::none ? std::string{}
                                            : restarting_clause(restart))
      + std::to_string(active) + " of "
      + std::to_string(total_desired_replicas(ctx.job, seen)) + " replicas run";
  if (succeeded > 0)
    text += ", " + std::to_string(succeeded) + " have succeeded";
  if (failed > 0)
    text += ", " + std::to_string(failed) + " have failed";
  if (restart.stage == restart_stage::none)
    text += latest_attempt_clause(*ctx.status().recovery);
  auto why = first_replacement_wait_clause(ctx);
  if (why.empty())
    why = first_pod_problem_clause(ctx);
  if (why.empty())
    why = unrecorded_restart_clause(ctx);
  return text + (why.empty() ? first_pod_not_running_clause(ctx) : why);
}

} // namespace

std::string summarize_job_state(const reconcile_context& ctx,
                                const observed_children& seen) {
  const auto& s = ctx.status();
  std::string unsaved = ctx.saved.is_finished() ? "" : " (being written)";
  if (s.is_condition_true(condition_type::failed))
    return "failed: " + condition_message(s, condition_type::failed) + unsaved;
  if (s.is_condition_true(condition_type::succeeded))
    return "has succeeded" + unsaved;
  if (s.is_condition_true(condition_type::suspended))
    return (must_stop_before_resume(ctx, seen) && !ctx.job.policy.suspend
                ? "is resumed when its pods of before are gone"
                : "is suspended")
           + stopping_pods_clause(ctx, seen);
  if (ctx.job.total_replicas() == 0)
    return "asks for no replicas";
  if (!ctx.pod_creation_blocker.empty() && seen.pods().empty())
    return ctx.pod_creation_blocker;
  return describe_progress(ctx, seen);
}

} // namespace troupe::core
