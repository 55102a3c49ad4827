#include "frameworks/core/pass/summary.hpp"

#include "frameworks/core/gangs/gang_events.hpp"
#include "frameworks/core/model/names.hpp"
#include "frameworks/core/observed/crash_loop.hpp"
#include "frameworks/core/observed/launcher_jobs.hpp"
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

struct replica {
  const slot& at;
  const child_view* pod = nullptr; ///< nullptr: there is none.
  /// What a sentence about it says, after its name, if there is no pod.
  const char* without_pod = " does not exist yet";

  std::string name(const job& j) const {
    return pod ? pod->name : child_name(j, at);
  }
};

/// A launcher whose pods a batch/v1 Job makes, under names of its own.
replica launcher_replica(const slot& at, const observed_children& seen) {
  replica out{at};
  const auto* maker = own_launcher_job(seen);
  if (!maker)
    return out;
  auto is_better = [](const child_view& a, const child_view& b) {
    return a.is_finished() != b.is_finished() ? !a.is_finished()
                                              : a.created > b.created;
  };
  for (const auto& pod : seen.pods())
    if (is_launcher_pod(pod, seen) && (!out.pod || is_better(pod, *out.pod)))
      out.pod = &pod;
  out.without_pod =
      maker->batch_job->suspended ? " is suspended" : " has no pod yet";
  return out;
}

/// What `clause` says of the first replica of which it says something, or "".
template <class Clause>
std::string first_clause(const reconcile_context& ctx,
                         const observed_children& seen, Clause clause) {
  const std::string_view made_by_job = ctx.job.kind->names.type_made_by_job;
  for (const auto& type : ctx.children.types)
    for (const auto& state : type.slots) {
      bool by_job = !made_by_job.empty() && state.at.type == made_by_job;
      auto text = clause(by_job ? launcher_replica(state.at, seen)
                                : replica{state.at, state.pod});
      if (!text.empty())
        return text;
    }
  return {};
}

/// The first pod that does not get on by itself, else the first that waits for
/// those or has failed, or "".
std::string first_pod_problem_clause(const reconcile_context& ctx,
                                     const observed_children& seen) {
  std::string waits;
  auto stops = first_clause(ctx, seen, [&](const replica& r) -> std::string {
    if (!r.pod)
      return {};
    const auto& pod = *r.pod;
    if (auto loop = find_crash_loop(pod, ctx.now); loop && !pod.is_finished())
      return "; " + pod.name + ": " + describe_crash_loop(*loop);
    if (pod.problem->message.empty())
      return {};
    auto text = "; " + pod.problem->reason + ": " + pod.problem->message;
    if (!pod.is_finished() && pod.problem->reason != "Undetermined"
        && !is_about_other_gang_members(pod.problem->message))
      return text;
    if (waits.empty())
      waits = text;
    return {};
  });
  return stops.empty() ? waits : stops;
}

/// The first replica without a pod that counts, or "".
std::string first_pod_not_running_clause(const reconcile_context& ctx,
                                         const observed_children& seen) {
  return first_clause(ctx, seen, [&](const replica& r) -> std::string {
    const char* state = "";
    if (!r.pod)
      state = r.without_pod;
    else if (r.pod->terminating)
      state = " is being deleted";
    else if (r.pod->phase == k8s::pod_phase::pending)
      state = r.pod->scheduled ? " is starting" : " is not scheduled yet";
    return *state == '\0' ? "" : "; " + r.name(ctx.job) + state;
  });
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
    if (pod.phase != k8s::pod_phase::running
        || !((pod.owned && pod.labels_match_job) || is_launcher_pod(pod, seen)))
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
    why = first_pod_problem_clause(ctx, seen);
  if (why.empty())
    why = unrecorded_restart_clause(ctx);
  return text + (why.empty() ? first_pod_not_running_clause(ctx, seen) : why);
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
