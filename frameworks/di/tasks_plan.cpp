#include "frameworks/di/tasks_plan.hpp"

#include "frameworks/core/adoption.hpp"
#include "frameworks/core/verdict.hpp"
#include "frameworks/di/clean_up.hpp"
#include "frameworks/di/tasks_replicas.hpp"
#include "frameworks/di/tasks_service.hpp"
#include "frameworks/di/tasks_spec.hpp"
#include "frameworks/di/tasks_status.hpp"

namespace troupe::frameworks::di::tasks {

using namespace core;

namespace {

bool is_in(const reconcile_context& p, const char* phase) {
  return p.status().phase == phase;
}

/// Enters a phase; the event about it has its own text.
void enter_phase(reconcile_context& p, const char* phase, std::string message,
                 bool warning, const char* event) {
  if (!enter(p.status(), phase, std::move(message), p.now))
    return;
  p.out.events.push_back({warning, std::string{"Job"} + phase, event});
}

void set_pending(reconcile_context& p) {
  const auto& now = p.status().phase;
  if (!now.empty() && now != phase::pending)
    return;
  enter_phase(p, phase::pending, "job created.", false, "job created.");
}

void start(reconcile_context& p, std::string message) {
  enter_phase(p, phase::starting, std::move(message), false,
              "job is starting since all replicas are created.");
}

void run(reconcile_context& p) {
  enter_phase(p, phase::running, "job is running since all pods are ready.",
              false, "job is running since all replicas are ready.");
}

void reschedule(reconcile_context& p, std::string message) {
  ++p.status().tasks.reschedules;
  enter_phase(p, phase::rescheduling, std::move(message), true,
              "job is rescheduling since replicas or allocation changed.");
}

void finish(reconcile_context& p, const char* phase, std::string message,
            const char* event) {
  enter_phase(p, phase, std::move(message), phase == phase::failed, event);
  p.status().completed = truncate_to_seconds(p.now);
  forget_pods(p.status());
}

void fail_or_restart(reconcile_context& p, std::size_t failed) {
  auto why = "since " + std::to_string(failed) + " pods failed.";
  auto limit = backoff_limit(p.j);
  if (limit && p.status().tasks.restarts >= *limit) {
    finish(p, phase::failed, "job failed " + why + " and exceed backoff limit",
           "job is failed since some replicas are failed.");
    return;
  }
  ++p.status().tasks.restarts;
  enter_phase(p, phase::restarting, "job is restarting " + why, true,
              "job is restarting since conditions changed.");
}

std::string counts_match(const reconcile_context& p) {
  auto count = std::to_string(p.j.total_replicas());
  return "job is starting since the created pods " + count
         + " are matched replicas " + count + ".";
}

// One step of each phase.

void pending_step(reconcile_context& p, const replicas& r) {
  if (p.j.total_replicas() == 0)
    return delete_surplus(p, r);
  if (r.complete())
    return start(p, "job is starting since all pods are created.");
  delete_surplus(p, r);
  create_missing(p);
}

/// Returns whether the job has left the phase.
bool leaves_by_pods(reconcile_context& p, const replicas& r,
                    const char* rescheduling) {
  if (r.all_succeeded)
    finish(p, phase::succeeded,
           "job succeeded since all the replicas are succeeded.",
           "job is succeeded since all the replicas are succeeded.");
  else if (!r.failed.empty())
    fail_or_restart(p, r.failed.size());
  else if (!r.complete() || !r.displaced.empty())
    reschedule(p, rescheduling);
  else
    return false;
  return true;
}

void starting_step(reconcile_context& p, const replicas& r) {
  bool left = leaves_by_pods(
      p, r, "job is rescheduling since replicas or allocation changed.");
  if (!left && p.status().tasks.ready == p.j.total_replicas())
    run(p);
}

void running_step(reconcile_context& p, const replicas& r) {
  auto why = "job is rescheduling since replicas changed, replicas: "
             + std::to_string(p.j.total_replicas()) + ", allocation: [].";
  leaves_by_pods(p, r, why.c_str());
}

/// A crash after what cannot be undone must find its reason.
bool phase_is_saved(const reconcile_context& p) {
  return p.saved.phase == p.status().phase
         && p.saved.tasks.restarts == p.status().tasks.restarts
         && p.saved.tasks.reschedules == p.status().tasks.reschedules;
}

void restarting_step(reconcile_context& p, const replicas& r) {
  if (!phase_is_saved(p))
    return;
  if (r.complete() && r.failed.empty() && r.displaced.empty())
    return start(p, counts_match(p));
  delete_surplus(p, r);
  delete_displaced(p, r);
  replace_failed(p, r);
  create_missing(p);
}

void rescheduling_step(reconcile_context& p, const replicas& r) {
  if (!phase_is_saved(p))
    return;
  if (!r.complete() || !r.displaced.empty()) {
    delete_surplus(p, r);
    delete_displaced(p, r);
    create_missing(p);
  } else if (p.j.total_replicas() > 0) {
    start(p, counts_match(p));
  } else {
    enter_phase(p, phase::pending, "job is pending since no replicas assigned.",
                false, "job is pending since no replicas assigned.");
  }
}

struct phase_row {
  const char* name;
  void (*step)(reconcile_context& p, const replicas& r);
  const char* verdict; ///< What it is doing, before how far its pods are.
};

constexpr phase_row phases[] = {
    {phase::pending, pending_step, "is pending until it has all pods"},
    {phase::starting, starting_step, "is starting"},
    {phase::running, running_step, ""},
    {phase::restarting, restarting_step, "is restarting"},
    {phase::rescheduling, rescheduling_step, "is rescheduling"},
};

const phase_row* row_of(const std::string& name) {
  for (const auto& row : phases)
    if (name == row.name)
      return &row;
  return nullptr;
}

/// A job with a phase that is not known here is begun anew, from what is there.
void follow_pods(reconcile_context& p) {
  const auto r = count_replicas(p);
  if (!row_of(p.status().phase))
    enter(p.status(), phase::pending, "job created.", p.now);
  // Each turn enters another phase, or is the last.
  for (std::string before; before != p.status().phase;) {
    before = p.status().phase;
    if (const auto* row = row_of(before))
      row->step(p, r);
  }
}

/// "is restarting: 1 of 3 replicas run, 1 is ready; cp-learner-0 ..."
std::string describe(const reconcile_context& p,
                     const observed_children& seen) {
  auto text = verdict(p, seen);
  const auto* row = row_of(p.status().phase);
  if (!row || *row->verdict == '\0' || p.j.total_replicas() == 0)
    return text;
  auto ready = is_in(p, phase::starting)
                   ? " (" + std::to_string(p.status().tasks.ready) + " of "
                         + std::to_string(p.j.total_replicas())
                         + " pods are ready)"
                   : std::string{};
  auto unsaved = phase_is_saved(p) ? "" : " (being written)";
  return row->verdict + ready + unsaved + std::string{": "} + text;
}

} // namespace

void decide(reconcile_context& p, const observed_children& seen) {
  if (p.saved.finished()) {
    forget_pods(p.status());
    return clean_up(p, seen);
  }
  if (p.status().finished())
    return; // Wait until the finished status is saved.
  set_pending(p);
  if (!p.j.problem.empty())
    return finish(p, phase::failed, p.j.problem, p.j.problem.c_str());
  count_pods(p.status(), p.j, seen);
  release_mislabelled(p);
  follow_pods(p);
  if (p.status().finished())
    return;
  reconcile_service(p, seen);
  p.out.verdict = describe(p, seen);
}

} // namespace troupe::frameworks::di::tasks
