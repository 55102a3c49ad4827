#include "frameworks/mpi_ssh/ssh_plan.hpp"

#include "frameworks/core/model/names.hpp"
#include "frameworks/core/observed/launcher_jobs.hpp"
#include "frameworks/core/observed/observed.hpp"
#include "frameworks/core/pass/auxiliary_objects.hpp"
#include "frameworks/core/pass/cleanup.hpp"
#include "frameworks/core/pass/completed_replicas.hpp"
#include "frameworks/core/pass/deadlines.hpp"
#include "frameworks/core/pass/restart_scope.hpp"
#include "frameworks/core/pass/restarts.hpp"
#include "frameworks/core/pass/summary.hpp"
#include "frameworks/core/recovery/losses.hpp"
#include "frameworks/core/spec/native_gang_spec.hpp"
#include "frameworks/core/spec/pod_progress.hpp"
#include "frameworks/mpi_ssh/ssh_attempts.hpp"
#include "frameworks/mpi_ssh/ssh_launcher.hpp"
#include "frameworks/mpi_ssh/ssh_objects.hpp"
#include "frameworks/mpi_ssh/ssh_restart.hpp"
#include "frameworks/mpi_ssh/ssh_settings.hpp"
#include "frameworks/mpi_ssh/ssh_status.hpp"

#include <algorithm>

namespace troupe::frameworks::mpi_ssh {

using namespace core;

namespace {

const child_view* find_child(const observed_children& seen,
                             const auxiliary_object& w) {
  for (const auto& v : seen.children_of_kind(w.kind))
    if (v.name == w.name && v.owned)
      return &v;
  return nullptr;
}

// -- what pods need -----------------------------------------------------------

/// Nothing that others have added to its data stays.
void reconcile_config_map(reconcile_context& ctx, const observed_children& seen,
                          auxiliary_object wanted) {
  if (const auto* v = find_child(seen, wanted);
      v && v->is_content_current() && !v->content->stored_as_sent)
    wanted = without_added_data(std::move(wanted), v->body());
  create_correct_or_read_auxiliary(ctx, seen, wanted);
}

/// Keys are made anew only if one is missing or there are others.
void reconcile_secret(reconcile_context& ctx, const observed_children& seen) {
  const auto wanted = secret_object(ctx.job);
  const auto* v = find_child(seen, wanted);
  if (!v || !v->is_content_current())
    return create_correct_or_read_auxiliary(ctx, seen, wanted);
  if (has_both_keys_only(v->body()))
    return;
  patch_auxiliary patch;
  patch.kind = wanted.kind;
  patch.name = v->name;
  patch.uid = v->uid.text();
  patch.why = "it does not have the two keys";
  patch.version = std::to_string(v->version);
  patch.operations = "[]";
  patch.adds_ssh_keys = true;
  ctx.plan_patch_unless_blocked(*v, std::move(patch));
}

/// Only one that is needed: a suspended job has none.
void reconcile_pod_group(reconcile_context& ctx,
                         const observed_children& seen) {
  if (ctx.job.policy.suspend)
    return delete_pod_groups(ctx, seen, "the job is suspended");
  if (auto group = pod_group_object(ctx.job, seen, ctx.cluster))
    create_correct_or_read_auxiliary(ctx, seen, *group);
}

/// One that pods mount stays when they are told no more. While the authority is
/// not known, it has no body.
void reconcile_report_config_map(reconcile_context& ctx,
                                 const observed_children& seen) {
  if (!tells_pods_where_to_report(ctx.job, ctx.cluster))
    return;
  if (auto wanted = report_config_map(ctx.job, ctx.cluster);
      !wanted.body.empty())
    create_correct_or_read_auxiliary(ctx, seen, wanted);
}

void reconcile_objects_for_pods(reconcile_context& ctx,
                                const observed_children& seen) {
  create_correct_or_read_auxiliary(ctx, seen, service_object(ctx.job));
  reconcile_config_map(ctx, seen,
                       config_map_object(ctx.job, seen, ctx.cluster));
  reconcile_secret(ctx, seen);
  reconcile_report_config_map(ctx, seen);
  reconcile_pod_group(ctx, seen);
}

/// One that stops needs none, but a suspended launcher has to name that of
/// later: its template can get no group any more.
std::string reconcile_native_group(reconcile_context& ctx,
                                   const observed_children& seen, bool stops) {
  if (!stops)
    return reconcile_native_group_and_get_pod_blocker(ctx, seen);
  if (ctx.cluster.scheduling == gang::kubernetes)
    ctx.scheduling_group = group_of_new_gang(ctx.job);
  return {};
}

bool has_all_objects_for_pods(const reconcile_context& ctx,
                              const observed_children& seen) {
  auto has = [&](const auxiliary_object& w) {
    const auto* v = find_child(seen, w);
    return v && !v->terminating;
  };
  auto group = pod_group_object(ctx.job, seen, ctx.cluster);
  return has(service_object(ctx.job)) && has(secret_object(ctx.job))
         && has(config_map_object(ctx.job, seen, ctx.cluster))
         && (!tells_pods_where_to_report(ctx.job, ctx.cluster)
             || has(report_config_map(ctx.job, ctx.cluster)))
         && (!group || has(*group));
}

// -- workers ------------------------------------------------------------------

const replica_type_view* workers_of(const reconcile_context& ctx) {
  for (const auto& type : ctx.children.types)
    if (type.spec->label == worker_label)
      return &type;
  return nullptr;
}

/// A worker that the cluster took away comes back, and one that failed by
/// itself if its restart policy says so.
bool comes_back_without_policy(const child_view& pod,
                               const replica_spec& spec) {
  return pod.evicted || pod.disrupted
         || spec.restart == restart_policy::on_failure;
}

/// The policy of the job on failures decides first, if it has one.
bool is_to_be_replaced(const reconcile_context& ctx, const child_view& pod,
                       const replica_spec& spec) {
  if (!pod.owned || pod.phase != k8s::pod_phase::failed || pod.is_leaving())
    return false;
  if (!ctx.job.failure_policy_or_default().must_see_failures())
    return comes_back_without_policy(pod, spec);
  switch (decide_on_failure(ctx.job, spec, pod).action) {
  case failure_action::replace:
  case failure_action::replace_uncounted:
    return is_restart_recorded_if_needed(ctx.job, ctx.saved, pod)
           && is_absence_recorded(ctx.job, ctx.saved, spec);
  case failure_action::keep:
    return comes_back_without_policy(pod, spec);
  default:
    return false;
  }
}

void add_eviction_event(reconcile_context& ctx, const replica_type_view& type,
                        std::int64_t evicted) {
  ctx.add_event(true, "Evicted",
                std::to_string(evicted) + "/"
                    + std::to_string(type.slots.size())
                    + " workers are evicted");
}

void replace_failed_workers(reconcile_context& ctx,
                            const replica_type_view& type) {
  std::int64_t evicted = 0;
  const auto before = ctx.result.decisions.size();
  for (const auto& state : type.slots)
    if (state.pod && is_to_be_replaced(ctx, *state.pod, *type.spec)) {
      evicted += state.pod->evicted ? 1 : 0;
      delete_failed_pod_or_annotate_wait(ctx, *state.pod,
                                         "the worker has failed");
    }
  if (evicted > 0 && ctx.result.decisions.size() > before)
    add_eviction_event(ctx, type, evicted);
}

void create_missing_workers(reconcile_context& ctx,
                            const replica_type_view& type) {
  for (const auto& state : type.slots)
    if (!state.pod && !is_completed(ctx, *type.spec, state.at.index))
      ctx.plan_creation_unless_blocked(child_kind::pod, state,
                                       "no such worker exists");
}

void delete_surplus_workers(reconcile_context& ctx) {
  for (const auto& child : ctx.children.out_of_range)
    ctx.plan_deletion_unless_blocked(child.kind, *child.view,
                                     "the job has fewer workers");
  for (const auto& child : ctx.children.duplicates)
    ctx.plan_deletion_unless_blocked(child.kind, *child.view,
                                     "the job has another such worker");
}

void reconcile_workers(reconcile_context& ctx, const observed_children& seen) {
  delete_surplus_workers(ctx);
  const auto* type = workers_of(ctx);
  if (!type)
    return;
  replace_failed_workers(ctx, *type);
  if (!are_workers_held(ctx, seen, *type->spec))
    create_missing_workers(ctx, *type);
}

bool all_workers_are(const reconcile_context& ctx,
                     bool (*is_so)(const child_view& pod)) {
  const auto* type = workers_of(ctx);
  return !type
         || std::all_of(
             type->slots.begin(), type->slots.end(), [&](const slot_state& s) {
               return s.pod ? is_so(*s.pod)
                            : is_completed(ctx, *type->spec, s.at.index);
             });
}

bool exists(const child_view& pod) {
  return !pod.terminating;
}

bool is_ready(const child_view& pod) {
  return pod.ready && !pod.terminating;
}

// -- steps --------------------------------------------------------------------

void clean_up_or_delete_finished_job(reconcile_context& ctx,
                                     const observed_children& seen) {
  if (!ctx.status().completion_time)
    ctx.status().completion_time = truncate_to_seconds(ctx.now);
  delete_children_by_clean_pod_policy(ctx, seen);
  stop_launcher_of_finished_job(ctx, seen);
  delete_pod_groups_of_finished_job(ctx, seen);
  delete_job_after_ttl(ctx,
                       ttl_expires_at_even_if_suspended(ctx.job, ctx.status()));
}

/// Workers that never become ready must not hold a job with a deadline. Of
/// several launchers none has the deadline of the job.
bool fail_if_deadline_passed_without_launcher(reconcile_context& ctx,
                                              const observed_children& seen) {
  auto end = active_deadline_at(ctx.job, ctx.status());
  if (!end || ctx.job.policy.suspend
      || (own_launcher_job(seen) && !decides_about_launcher(ctx.job)))
    return false;
  if (ctx.now < *end) {
    ctx.requeue_no_later_than(*end);
    return false;
  }
  fail_job(ctx, "DeadlineExceeded",
           "Job was active longer than specified deadline");
  return true;
}

void update_status(reconcile_context& ctx, const observed_children& seen) {
  update_counts(ctx, seen);
  if (!end_job_with_launcher(ctx, seen))
    set_running_condition_if_all_run(ctx, seen);
}

/// An error cannot be corrected by another pass. A job that has begun goes on
/// to be watched, and what it has stays.
void reconcile_invalid_job(reconcile_context& ctx,
                           const observed_children& seen,
                           const std::string& why) {
  const auto message = "Found validation errors: " + why;
  const auto& pods = seen.pods(); // Anybody can make one with the labels.
  if (own_launcher_job(seen)
      || std::any_of(pods.begin(), pods.end(),
                     [](const auto& p) { return p.owned; })) {
    update_status(ctx, seen);
    ctx.result.standing_warning = job_event{true, "ValidationError", message};
    ctx.result.summary = "is invalid, so nothing is changed: " + why;
    return;
  }
  ctx.status().set_condition(condition_type::failed, true, "ValidationError",
                             message, ctx.now);
  ctx.status().completion_time = truncate_to_seconds(ctx.now);
  ctx.result.events.push_back({true, "ValidationError", message});
}

/// Until it is saved why all pods are replaced, none is.
bool waits_for_saved_attempt(const reconcile_context& ctx) {
  return ctx.status().recovery->attempt != ctx.saved.recovery->attempt;
}

/// `stops`: its pods are to end.
void reconcile_children(reconcile_context& ctx, const observed_children& seen,
                        bool stops) {
  stop_older_attempts_of_all(ctx, seen);
  reconcile_objects_for_pods(ctx, seen);
  auto blocker = reconcile_native_group(ctx, seen, stops);
  if (stops) {
    delete_pods_and_services(ctx, seen, "the job is suspended");
  } else if (has_all_objects_for_pods(ctx, seen) && blocker.empty()) {
    replace_failed_launcher(ctx, seen);
    reconcile_workers(ctx, seen);
  } else {
    ctx.pod_creation_blocker =
        blocker.empty() ? "waits for the objects that its pods need" : blocker;
    return;
  }
  if (stops || all_workers_are(ctx, exists))
    reconcile_launcher_job(ctx, seen, stops, all_workers_are(ctx, is_ready));
}

std::string summarize(const reconcile_context& ctx,
                      const observed_children& seen) {
  auto text = summarize_job_state(ctx, seen);
  if (is_restart_under_way(ctx) && !ctx.status().is_finished())
    return describe_restart(ctx, seen) + text;
  if (ctx.status().is_finished() || ctx.job.policy.suspend
      || !launcher_waits_for_workers(ctx.job) || own_launcher_job(seen)
      || is_launcher_done(ctx) || !ctx.pod_creation_blocker.empty())
    return text;
  return "the launcher waits for the workers: " + text;
}

bool has_creation_in_flight(const reconcile_context& ctx) {
  const auto& all = ctx.result.decisions;
  return ctx.expectations.has_creation_in_flight()
         || std::any_of(all.begin(), all.end(), [](const auto& d) {
              return std::holds_alternative<create_child>(d)
                     || std::holds_alternative<create_auxiliary>(d);
            });
}

/// The first one counts the launcher, as mpi-operator's does: what comes before
/// its Job is under way.
bool first_status_awaits_launcher(const reconcile_context& ctx,
                                  const observed_children& seen) {
  return ctx.saved.conditions.empty() && !ctx.status().is_finished()
         && !waits_for_saved_attempt(ctx) && !own_launcher_job(seen)
         && has_creation_in_flight(ctx);
}

} // namespace

void reconcile_job(reconcile_context& ctx, const observed_children& seen) {
  remove_unfinished_failure(ctx.status());
  if (ctx.saved.is_finished() && ctx.status().is_finished())
    return clean_up_or_delete_finished_job(ctx, seen);
  if (ctx.status().is_finished())
    return; // Wait until the finished status is saved.
  set_created_condition(ctx);
  if (const auto& why = ctx.validation_or_limit_error(seen); !why.empty())
    return reconcile_invalid_job(ctx, seen, why);
  if (!find_or_miss_earlier_launcher(ctx, seen))
    return;
  bool stops = ctx.job.policy.suspend || must_stop_before_resume(ctx, seen);
  if (stops)
    set_suspended_conditions(ctx);
  else
    set_resumed_condition(ctx);
  if (!ctx.status().start_time && !stops)
    ctx.status().start_time = truncate_to_seconds(ctx.now);
  if (fail_if_deadline_passed_without_launcher(ctx, seen))
    return;
  if (!stops) {
    record_completed_replicas(ctx);
    record_completed_launcher(ctx, seen);
  }
  update_counts(ctx, seen);
  if (!end_job_with_launcher(ctx, seen)
      && (stops
          || (go_on_after_losses(ctx, seen)
              && go_on_unless_stalled(ctx, seen)))) {
    if (!waits_for_saved_attempt(ctx))
      reconcile_children(ctx, seen, stops);
    set_running_condition_if_all_run(ctx, seen);
  }
  ctx.result.status_awaits_creations = first_status_awaits_launcher(ctx, seen);
  ctx.result.summary = summarize(ctx, seen);
}

} // namespace troupe::frameworks::mpi_ssh
