#include "frameworks/di/coordinator/dijob_plan.hpp"

#include "frameworks/core/observed/observed.hpp"
#include "frameworks/core/pass/adoption.hpp"
#include "frameworks/di/base/clean_up.hpp"
#include "frameworks/di/base/dijob_pods.hpp"
#include "frameworks/di/base/dijob_services.hpp"
#include "frameworks/di/coordinator/dijob_counts.hpp"

namespace troupe::frameworks::di {

using namespace core;

namespace {

std::string message_about_job(const reconcile_context& ctx, const char* rest) {
  return ctx.job.kind->names.type.kind + " " + ctx.job.name + rest;
}

void enter_created_phase_if_new(reconcile_context& ctx) {
  if (!ctx.status().phase.empty())
    return;
  auto message = message_about_job(ctx, " created");
  ctx.status().phase = condition_type::created;
  if (ctx.set_condition(condition_type::created, true, "Created", message))
    ctx.add_event(false, "Created", message);
}

/// Sets the condition that ends the job. Condition Running, which becomes
/// false, gets new times, too.
bool set_final_condition(reconcile_context& ctx, const char* type,
                         const char* reason, const std::string& message) {
  bool ran = ctx.status().is_condition_true(condition_type::running);
  if (!ctx.set_condition(type, true, reason, message))
    return false;
  for (auto& c : ctx.status().conditions)
    if (ran && c.type == condition_type::running)
      c.updated = c.last_transition_time = truncate_to_seconds(ctx.now);
  ctx.status().phase = type;
  return true;
}

void fail_invalid_job(reconcile_context& ctx, const std::string& why) {
  auto message = message_about_job(ctx, " failed validation because ") + why;
  if (set_final_condition(ctx, condition_type::failed, "FailedValidation",
                          message))
    ctx.add_event(true, "FailedValidation", message);
}

void fail_job_with_coordinator(reconcile_context& ctx) {
  auto message = message_about_job(ctx, " failed because coordinator failed");
  if (set_final_condition(ctx, condition_type::failed, "Failed", message))
    ctx.add_event(true, "Failed", message);
}

void succeed_job_with_coordinator(reconcile_context& ctx) {
  auto message =
      message_about_job(ctx, " succeeded because coordinator succeeded");
  if (!set_final_condition(ctx, condition_type::succeeded, "Succeeded",
                           message))
    return;
  count_running_as_succeeded(ctx.status());
  ctx.add_event(false, "Succeeded", message);
}

void set_running_phase_and_condition(reconcile_context& ctx) {
  ctx.status().phase = condition_type::running;
  ctx.set_condition(condition_type::running, true, "Running",
                    "coordinator and aggregator of "
                        + message_about_job(ctx, " are running"));
}

const slot_state* coordinator_slot(const reconcile_context& ctx) {
  for (const auto& type : ctx.children.types)
    if (type.spec->label == role::coordinator)
      return &type.slots.front();
  return nullptr;
}

void set_conditions_by_coordinator(reconcile_context& ctx) {
  const auto& counts = ctx.status().replicas[coordinator_type];
  if (counts.active > 0)
    set_running_phase_and_condition(ctx);
  else if (counts.failed > 0)
    fail_job_with_coordinator(ctx);
  else if (counts.succeeded > 0)
    succeed_job_with_coordinator(ctx);
}

void adopt_or_create_missing_coordinator(reconcile_context& ctx) {
  const auto* coordinator = coordinator_slot(ctx);
  if (!coordinator || coordinator->pod)
    return;
  if (!plan_adoption_if_slot_has_orphan(ctx, child_kind::pod, *coordinator))
    ctx.plan_creation_unless_blocked(child_kind::pod, *coordinator,
                                     "the job has no coordinator");
}

/// Another operator may have left an older phase than the conditions say.
void clean_up_finished_job(reconcile_context& ctx,
                           const observed_children& seen) {
  auto& s = ctx.status();
  s.phase = s.is_condition_true(condition_type::failed)
                ? condition_type::failed
                : condition_type::succeeded;
  if (s.phase == condition_type::succeeded)
    count_running_as_succeeded(s);
  delete_children_of_finished_job(ctx, seen);
}

} // namespace

void reconcile_job(reconcile_context& ctx, const observed_children& seen) {
  if (ctx.saved.is_finished())
    return clean_up_finished_job(ctx, seen);
  if (ctx.status().is_finished())
    return; // Wait until the finished status is saved.
  enter_created_phase_if_new(ctx);
  if (const auto& why = ctx.validation_or_limit_error(seen); !why.empty())
    return fail_invalid_job(ctx, why);
  ctx.status().replicas = count_pods_by_type(ctx.job, seen);
  set_conditions_by_coordinator(ctx);
  if (ctx.status().is_finished())
    return;
  reconcile_services(ctx, seen);
  adopt_or_create_missing_coordinator(ctx);
}

} // namespace troupe::frameworks::di
