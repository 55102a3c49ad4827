#include "frameworks/di/tasks/tasks_plan.hpp"

#include "frameworks/core/base/numbers.hpp"
#include "frameworks/core/observed/observed.hpp"
#include "frameworks/core/pass/adoption.hpp"
#include "frameworks/core/pass/summary.hpp"
#include "frameworks/di/base/clean_up.hpp"
#include "frameworks/di/tasks/tasks_replicas.hpp"
#include "frameworks/di/tasks/tasks_service.hpp"
#include "frameworks/di/tasks/tasks_spec.hpp"
#include "frameworks/di/tasks/tasks_status.hpp"

namespace troupe::frameworks::di::tasks {

using namespace core;

namespace {

bool is_in_phase(const reconcile_context& ctx, const char* phase) {
  return ctx.status().phase == phase;
}

/// Enters a phase; the event about it has its own text.
void enter_phase_and_add_event(reconcile_context& ctx, const char* phase,
                               std::string message, bool warning,
                               const char* event) {
  if (!set_phase_and_condition(ctx.status(), phase, std::move(message),
                               ctx.now))
    return;
  ctx.result.events.push_back({warning, std::string{"Job"} + phase, event});
}

void enter_pending_if_new(reconcile_context& ctx) {
  const auto& now = ctx.status().phase;
  if (!now.empty() && now != phase::pending)
    return;
  enter_phase_and_add_event(ctx, phase::pending, "job created.", false,
                            "job created.");
}

void enter_starting_phase(reconcile_context& ctx, std::string message) {
  enter_phase_and_add_event(ctx, phase::starting, std::move(message), false,
                            "job is starting since all replicas are created.");
}

void enter_running_phase(reconcile_context& ctx) {
  enter_phase_and_add_event(ctx, phase::running,
                            "job is running since all pods are ready.", false,
                            "job is running since all replicas are ready.");
}

void enter_rescheduling_phase(reconcile_context& ctx, std::string message) {
  add_saturated(ctx.status().tasks.reschedules, 1);
  enter_phase_and_add_event(
      ctx, phase::rescheduling, std::move(message), true,
      "job is rescheduling since replicas or allocation changed.");
}

void enter_final_phase(reconcile_context& ctx, const char* phase,
                       std::string message, const char* event) {
  enter_phase_and_add_event(ctx, phase, std::move(message),
                            phase == phase::failed, event);
  ctx.status().completion_time = truncate_to_seconds(ctx.now);
  reset_pod_counts(ctx.status());
}

void fail_or_restart(reconcile_context& ctx, std::size_t failed) {
  auto why = "since " + std::to_string(failed) + " pods failed.";
  auto limit = backoff_limit(ctx.job);
  if (limit && ctx.status().tasks.restarts >= *limit) {
    enter_final_phase(ctx, phase::failed,
                      "job failed " + why + " and exceed backoff limit",
                      "job is failed since some replicas are failed.");
    return;
  }
  add_saturated(ctx.status().tasks.restarts, 1);
  enter_phase_and_add_event(ctx, phase::restarting, "job is restarting " + why,
                            true,
                            "job is restarting since conditions changed.");
}

std::string counts_match_message(const reconcile_context& ctx) {
  auto count = std::to_string(ctx.job.total_replicas());
  return "job is starting since the created pods " + count
         + " are matched replicas " + count + ".";
}

// One step of each phase.

void reconcile_pending(reconcile_context& ctx, const replicas& r) {
  if (ctx.job.total_replicas() == 0)
    return delete_surplus_pods(ctx, r);
  if (r.has_exactly_desired_pods())
    return enter_starting_phase(ctx,
                                "job is starting since all pods are created.");
  delete_surplus_pods(ctx, r);
  adopt_or_create_missing_pods(ctx);
}

/// Returns whether the job has left the phase.
bool leave_phase_by_pod_states(reconcile_context& ctx, const replicas& r,
                               const char* rescheduling) {
  if (r.all_succeeded)
    enter_final_phase(ctx, phase::succeeded,
                      "job succeeded since all the replicas are succeeded.",
                      "job is succeeded since all the replicas are succeeded.");
  else if (!r.failed.empty())
    fail_or_restart(ctx, r.failed.size());
  else if (!r.has_exactly_desired_pods() || !r.disrupted.empty())
    enter_rescheduling_phase(ctx, rescheduling);
  else
    return false;
  return true;
}

void reconcile_starting(reconcile_context& ctx, const replicas& r) {
  bool left = leave_phase_by_pod_states(
      ctx, r, "job is rescheduling since replicas or allocation changed.");
  if (!left && ctx.status().tasks.ready == ctx.job.total_replicas())
    enter_running_phase(ctx);
}

void reconcile_running(reconcile_context& ctx, const replicas& r) {
  auto why = "job is rescheduling since replicas changed, replicas: "
             + std::to_string(ctx.job.total_replicas()) + ", allocation: [].";
  leave_phase_by_pod_states(ctx, r, why.c_str());
}

/// A crash after what cannot be undone must find its reason.
bool are_phase_and_counts_saved(const reconcile_context& ctx) {
  return ctx.saved.phase == ctx.status().phase
         && ctx.saved.tasks.restarts == ctx.status().tasks.restarts
         && ctx.saved.tasks.reschedules == ctx.status().tasks.reschedules;
}

void reconcile_restarting(reconcile_context& ctx, const replicas& r) {
  if (!are_phase_and_counts_saved(ctx))
    return;
  if (r.has_exactly_desired_pods() && r.failed.empty() && r.disrupted.empty())
    return enter_starting_phase(ctx, counts_match_message(ctx));
  delete_surplus_pods(ctx, r);
  delete_disrupted_pods(ctx, r);
  delete_failed_pods_or_annotate_wait(ctx, r);
  adopt_or_create_missing_pods(ctx);
}

void reconcile_rescheduling(reconcile_context& ctx, const replicas& r) {
  if (!are_phase_and_counts_saved(ctx))
    return;
  if (!r.has_exactly_desired_pods() || !r.disrupted.empty()) {
    delete_surplus_pods(ctx, r);
    delete_disrupted_pods(ctx, r);
    adopt_or_create_missing_pods(ctx);
  } else if (ctx.job.total_replicas() > 0) {
    enter_starting_phase(ctx, counts_match_message(ctx));
  } else {
    enter_phase_and_add_event(
        ctx, phase::pending, "job is pending since no replicas assigned.",
        false, "job is pending since no replicas assigned.");
  }
}

struct phase_row {
  const char* name;
  void (*step)(reconcile_context& ctx, const replicas& r);
  const char* summary; ///< What it is doing, before how far its pods are.
};

constexpr phase_row phases[] = {
    {phase::pending, reconcile_pending, "is pending until it has all pods"},
    {phase::starting, reconcile_starting, "is starting"},
    {phase::running, reconcile_running, ""},
    {phase::restarting, reconcile_restarting, "is restarting"},
    {phase::rescheduling, reconcile_rescheduling, "is rescheduling"},
};

const phase_row* phase_row_of(const std::string& name) {
  for (const auto& row : phases)
    if (name == row.name)
      return &row;
  return nullptr;
}

/// A job with a phase that is not known here is begun anew, from what is there.
void reconcile_by_phase(reconcile_context& ctx) {
  const auto r = classify_replicas(ctx);
  if (!phase_row_of(ctx.status().phase))
    set_phase_and_condition(ctx.status(), phase::pending, "job created.",
                            ctx.now);
  // Each turn enters another phase, or is the last.
  for (std::string before; before != ctx.status().phase;) {
    before = ctx.status().phase;
    if (const auto* row = phase_row_of(before))
      row->step(ctx, r);
  }
}

/// "is restarting: 1 of 3 replicas run, 1 is ready; cp-learner-0 ..."
std::string summarize_phase_and_pods(const reconcile_context& ctx,
                                     const observed_children& seen) {
  auto text = summarize_job_state(ctx, seen);
  const auto* row = phase_row_of(ctx.status().phase);
  if (!row || *row->summary == '\0' || ctx.job.total_replicas() == 0)
    return text;
  auto ready = is_in_phase(ctx, phase::starting)
                   ? " (" + std::to_string(ctx.status().tasks.ready) + " of "
                         + std::to_string(ctx.job.total_replicas())
                         + " pods are ready)"
                   : std::string{};
  auto unsaved = are_phase_and_counts_saved(ctx) ? "" : " (being written)";
  return row->summary + ready + unsaved + std::string{": "} + text;
}

} // namespace

void reconcile_job(reconcile_context& ctx, const observed_children& seen) {
  if (ctx.saved.is_finished()) {
    reset_pod_counts(ctx.status());
    plan_release_of_mislabelled_children(ctx);
    return delete_children_of_finished_job(ctx, seen);
  }
  if (ctx.status().is_finished())
    return; // Wait until the finished status is saved.
  enter_pending_if_new(ctx);
  if (const auto& why = ctx.validation_or_limit_error(seen); !why.empty())
    return enter_final_phase(ctx, phase::failed, why, why.c_str());
  update_pod_counts(ctx.status(), ctx.job, seen);
  plan_release_of_mislabelled_children(ctx);
  reconcile_by_phase(ctx);
  if (ctx.status().is_finished())
    return;
  reconcile_service(ctx, seen);
  ctx.result.summary = summarize_phase_and_pods(ctx, seen);
}

} // namespace troupe::frameworks::di::tasks
