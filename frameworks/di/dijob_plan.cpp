#include "frameworks/di/dijob_plan.hpp"

#include "frameworks/core/adoption.hpp"
#include "frameworks/di/clean_up.hpp"
#include "frameworks/di/dijob_counts.hpp"
#include "frameworks/di/dijob_pods.hpp"
#include "frameworks/di/dijob_services.hpp"

namespace troupe::frameworks::di {

using namespace core;

namespace {

std::string about(const reconcile_context& p, const char* rest) {
  return p.j.kind->type.kind + " " + p.j.name + rest;
}

void set_created(reconcile_context& p) {
  if (!p.status().phase.empty())
    return;
  auto message = about(p, " created");
  p.status().phase = condition_type::created;
  if (p.set_condition(condition_type::created, true, "Created", message))
    p.add_event(false, "Created", message);
}

/// Sets the condition that ends the job. Condition Running, which becomes
/// false, gets new times, too.
bool end_job(reconcile_context& p, const char* type, const char* reason,
             const std::string& message) {
  bool ran = p.status().is_true(condition_type::running);
  if (!p.set_condition(type, true, reason, message))
    return false;
  for (auto& c : p.status().conditions)
    if (ran && c.type == condition_type::running)
      c.updated = c.transitioned = truncate_to_seconds(p.now);
  p.status().phase = type;
  return true;
}

void fail_invalid_job(reconcile_context& p) {
  auto message = about(p, " failed validation because ") + p.j.problem;
  if (end_job(p, condition_type::failed, "FailedValidation", message))
    p.add_event(true, "FailedValidation", message);
}

void fail_job(reconcile_context& p) {
  auto message = about(p, " failed because coordinator failed");
  if (end_job(p, condition_type::failed, "Failed", message))
    p.add_event(true, "Failed", message);
}

void succeed_job(reconcile_context& p) {
  auto message = about(p, " succeeded because coordinator succeeded");
  if (!end_job(p, condition_type::succeeded, "Succeeded", message))
    return;
  count_running_as_succeeded(p.status());
  p.add_event(false, "Succeeded", message);
}

void set_running(reconcile_context& p) {
  p.status().phase = condition_type::running;
  p.set_condition(condition_type::running, true, "Running",
                  "coordinator and aggregator of " + about(p, " are running"));
}

const slot_state* coordinator_of(const reconcile_context& p) {
  for (const auto& type : p.children.types)
    if (type.spec->label == role::coordinator)
      return &type.slots.front();
  return nullptr;
}

void follow_coordinator(reconcile_context& p) {
  const auto& counts = p.status().replicas[coordinator_type];
  if (counts.active > 0)
    set_running(p);
  else if (counts.failed > 0)
    fail_job(p);
  else if (counts.succeeded > 0)
    succeed_job(p);
}

void create_missing_coordinator(reconcile_context& p) {
  const auto* coordinator = coordinator_of(p);
  if (!coordinator || coordinator->pod)
    return;
  if (!adopt_into(p, child_kind::pod, *coordinator))
    p.plan_create(child_kind::pod, *coordinator, "the job has no coordinator");
}

/// Another operator may have left an older phase than the conditions say.
void handle_finished(reconcile_context& p, const observed_children& seen) {
  auto& s = p.status();
  s.phase = s.is_true(condition_type::failed) ? condition_type::failed
                                              : condition_type::succeeded;
  if (s.phase == condition_type::succeeded)
    count_running_as_succeeded(s);
  clean_up(p, seen);
}

} // namespace

void decide(reconcile_context& p, const observed_children& seen) {
  if (p.saved.finished())
    return handle_finished(p, seen);
  if (p.status().finished())
    return; // Wait until the finished status is saved.
  set_created(p);
  if (!p.j.problem.empty())
    return fail_invalid_job(p);
  p.status().replicas = count_pods(p.j, seen);
  follow_coordinator(p);
  if (p.status().finished())
    return;
  reconcile_services(p, seen);
  create_missing_coordinator(p);
}

} // namespace troupe::frameworks::di
