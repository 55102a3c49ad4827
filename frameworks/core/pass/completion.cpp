#include "frameworks/core/pass/completion.hpp"

#include "frameworks/core/model/names.hpp"
#include "frameworks/core/pass/restart_scope.hpp"
#include "frameworks/core/pass/restarts.hpp"

#include <algorithm>

namespace troupe::core {

namespace {

/// The failed pods of one type, by failure_action.
struct failures {
  int replace = 0;
  int already_terminating = 0;
  int fail_job = 0;
  int keep = 0;
  int restart_scope = 0;     ///< More than the pod is restarted.
  int replace_uncounted = 0; ///< Not counted as failures.

  int total() const {
    return replace + already_terminating + fail_job + keep + restart_scope;
  }
};

failures count_failed_pods_by_action(const reconcile_context& ctx,
                                     const replica_type_view& type) {
  failures result;
  for (const auto& state : type.slots) {
    if (!state.pod || state.pod->phase != k8s::pod_phase::failed)
      continue;
    switch (decide_on_failure(ctx.job, *type.spec, *state.pod).action) {
    case failure_action::replace:
      ++result.replace;
      break;
    case failure_action::already_terminating:
      ++result.already_terminating;
      break;
    case failure_action::replace_uncounted:
      ++result.replace_uncounted;
      break;
    case failure_action::restart_replica_type:
    case failure_action::restart_job:
      ++result.restart_scope;
      break;
    case failure_action::fail_job:
      ++result.fail_job;
      break;
    case failure_action::keep:
      ++result.keep;
      break;
    }
  }
  return result;
}

/// Of all types but the chief.
void clear_follower_counts(reconcile_context& ctx) {
  for (const auto& rule : ctx.job.kind->replicas)
    if (!is_chief(ctx.job, rule))
      if (auto i = ctx.status().replicas.find(rule.type);
          i != ctx.status().replicas.end())
        i->second = {};
}

bool index_zero_succeeded_and_exited_zero(const replica_type_view& type) {
  const auto* pod = type.slots.front().pod;
  return pod && pod->phase == k8s::pod_phase::succeeded
         && pod->exit_code == std::int32_t{0};
}

bool has_type_succeeded(const reconcile_context& ctx,
                        const replica_type_view& type,
                        const replica_status& counts) {
  if (counts.succeeded >= type.spec->replicas)
    return true;
  switch (type.rule->succeeds) {
  case success::all:
    return false;
  case success::first:
    return ctx.job.success_policy != "AllWorkers"
           && index_zero_succeeded_and_exited_zero(type);
  case success::any_if_elastic:
    return ctx.job.elastic_policy && counts.succeeded > 0;
  }
  return false;
}

} // namespace

bool has_own_success_policy(const job& j) {
  return j.policy.success
         && (j.policy.success->any || !j.policy.success->types.empty());
}

namespace {

/// Whether the success of this type is asked for: one that the policy names, or
/// without names a chief.
bool is_target_of_success_policy(const job& j, const replica_type_view& type) {
  const auto& named = j.policy.success->types;
  return named.empty() ? type.rule && is_chief(j, *type.rule)
                       : std::find(named.begin(), named.end(), type.spec->type)
                             != named.end();
}

} // namespace

bool has_succeeded_by_policy(const reconcile_context& ctx) {
  bool any = ctx.job.policy.success->any;
  bool all = true;
  bool has_target = false;
  for (const auto& type : ctx.children.types) {
    if (type.slots.empty() || !is_target_of_success_policy(ctx.job, type))
      continue;
    auto i = ctx.status().replicas.find(type.spec->type);
    auto succeeded = i == ctx.status().replicas.end() ? 0 : i->second.succeeded;
    if (any && succeeded > 0)
      return true;
    has_target = true;
    all = all && succeeded >= type.spec->replicas;
  }
  return !any && has_target && all;
}

namespace {

void set_running_condition(reconcile_context& ctx) {
  ctx.set_condition(
      condition_type::running, true, "Running",
      fill_template(message_templates_for(ctx.job).running, ctx.job));
}

/// Adds the event about the chief's pod, before the event about the job, if
/// the kind has one (`message_template` is not empty).
void add_chief_event_if_defined(reconcile_context& ctx, bool warning,
                                std::string reason,
                                const char* message_template) {
  if (*message_template != '\0')
    ctx.result.events.push_back(
        {warning, std::move(reason), fill_template(message_template, ctx.job)});
}

/// The reason of the failed pod, or of the job.
std::string failed_pod_reason_or_kind_reason(const reconcile_context& ctx,
                                             const replica_type_view& type) {
  for (const auto& state : type.slots)
    if (state.pod && state.pod->phase == k8s::pod_phase::failed
        && !state.pod->status_reason->empty())
      return *state.pod->status_reason;
  return kind_prefixed_reason(*ctx.job.kind, "Failed");
}

void succeed_job(reconcile_context& ctx) {
  if (!ctx.status().is_condition_true(condition_type::succeeded))
    add_chief_event_if_defined(ctx, false,
                               ctx.job.kind->names.type.plural + "Succeeded",
                               message_templates_for(ctx.job).chief_succeeded);
  if (ctx.job.kind->ending.sets_running_before_end)
    set_running_condition(ctx);
  if (ctx.succeed_job(
          fill_template(message_templates_for(ctx.job).succeeded, ctx.job))
      && ctx.job.kind->ending.clears_follower_counts_at_end)
    clear_follower_counts(ctx);
}

void add_follower_eviction_event(reconcile_context& ctx,
                                 const replica_type_view& type) {
  const char* words = message_templates_for(ctx.job).evicted;
  if (is_chief(ctx.job, *type.rule))
    return;
  int count = 0;
  for (const auto& state : type.slots)
    count += state.pod && state.pod->evicted ? 1 : 0;
  if (count > 0 && *words != '\0')
    ctx.add_event(true, "Evicted",
                  fill_template(words, ctx.job, count,
                                std::to_string(type.spec->replicas)));
}

void fail_job(reconcile_context& ctx, const replica_type_view& type,
              const failures& f) {
  const auto& kind = *ctx.job.kind;
  bool chief = is_chief(ctx.job, *type.rule);
  if (!ctx.status().is_condition_true(condition_type::failed)) {
    add_follower_eviction_event(ctx, type);
    if (chief)
      add_chief_event_if_defined(ctx, true,
                                 failed_pod_reason_or_kind_reason(ctx, type),
                                 message_templates_for(ctx.job).chief_failed);
  }
  auto own = fill_template(message_templates_for(ctx.job).failed, ctx.job,
                           f.total(), type.spec->type);
  if (f.fail_job == 0) {
    if (kind.ending.sets_running_before_end)
      set_running_condition(ctx);
    ctx.fail_job(own, kind.messages.failed_reason_suffix, false, "Failed");
  } else if (ctx.fail_job("job \"" + ctx.job.name + "\" is failing because \""
                              + type.spec->type + "\" replica(s) failed.",
                          "Failed", true)
             && kind.messages.adds_own_event_on_permanent_failure) {
    ctx.add_event(false, "Failed", own);
  }
  if (chief && kind.ending.clears_follower_counts_at_end)
    clear_follower_counts(ctx);
}

/// A type some of whose failed pods are replaced.
struct restarting_type {
  const replica_type_view* view = nullptr;
  int failed = 0;
  bool job_runs = false; ///< The chief does, if it was looked at by then.
};

/// Summary over all replica types.
struct findings {
  bool running = false;
  bool restarting = false;
  std::vector<restarting_type> restarting_types;
};

std::string restarting_message(const job& j, const replica_type_view& type) {
  return "job " + j.name + " is restarting because " + type.spec->type
         + " replica(s) failed.";
}

/// In the kind's own words, "" if it has none.
std::string kind_restarting_message_or_empty(const job& j,
                                             const restarting_type& type) {
  return fill_template(message_templates_for(j).restarting, j, type.failed,
                       type.view->spec->type);
}

void add_restarting_events(reconcile_context& ctx,
                           const restarting_type& type) {
  add_follower_eviction_event(ctx, *type.view);
  ctx.add_event(true, "Restarting", restarting_message(ctx.job, *type.view));
  if (auto own = kind_restarting_message_or_empty(ctx.job, type); !own.empty())
    ctx.add_event(true, "Restarting", std::move(own));
}

/// Whether more pods of the type have failed than in the pass before.
bool has_new_failures(const reconcile_context& ctx,
                      const restarting_type& type) {
  auto before = ctx.failed_before.find(type.view->spec->type);
  return before == ctx.failed_before.end() || type.failed > before->second;
}

/// As training-operator v1: the second message replaces the first if Running
/// was set in between.
void set_restarting_condition_and_add_events(reconcile_context& ctx,
                                             const findings& found) {
  const auto& first = found.restarting_types.front();
  bool begins =
      ctx.set_condition(condition_type::restarting, true, "Restarting",
                        restarting_message(ctx.job, *first.view));
  for (const auto& type : found.restarting_types)
    if (begins || has_new_failures(ctx, type))
      add_restarting_events(ctx, type);
  auto own = kind_restarting_message_or_empty(ctx.job, first);
  if (!begins || own.empty()
      || !(first.job_runs || ctx.job.kind->ending.sets_running_before_end))
    return;
  set_running_condition(ctx);
  ctx.set_condition(condition_type::restarting, true, "Restarting",
                    std::move(own));
}

enum class job_progress : std::uint8_t { goes_on, ended };

/// Ends the job if this type decides that, else adds to `found`.
job_progress end_job_or_add_findings(reconcile_context& ctx,
                                     const replica_type_view& type,
                                     findings& found) {
  const auto& counts = ctx.status().replicas[type.spec->type];
  if (is_chief(ctx.job, *type.rule)) {
    if (!has_own_success_policy(ctx.job)
        && has_type_succeeded(ctx, type, counts)) {
      succeed_job(ctx);
      return job_progress::ended;
    }
    found.running |= counts.active > 0;
  }
  auto f = count_failed_pods_by_action(ctx, type);
  bool may_fail = type.rule->may_fail_if_dynamic && ctx.job.dynamic_workers;
  if (f.fail_job + f.keep > 0 && !may_fail) {
    if (found.running) // As training-operator v1: sets Running before Failed.
      set_running_condition(ctx);
    fail_job(ctx, type, f);
    return job_progress::ended;
  }
  if (f.replace > 0) {
    found.restarting = true;
    found.restarting_types.push_back({&type, f.total(), found.running});
  }
  found.restarting |= f.restart_scope > 0;
  // The failed pod is already terminating: keep Restarting.
  if (f.already_terminating + f.replace_uncounted > 0
      && ctx.status().is_condition_true(condition_type::restarting))
    found.restarting = true;
  return job_progress::goes_on;
}

} // namespace

void update_conditions_or_end_job(reconcile_context& ctx) {
  if (has_own_success_policy(ctx.job) && has_succeeded_by_policy(ctx))
    return succeed_job(ctx);
  findings found;
  found.restarting = is_restart_under_way(ctx);
  for (const auto& type : ctx.children.types)
    if (type.rule && !type.slots.empty()
        && end_job_or_add_findings(ctx, type, found) == job_progress::ended)
      return;
  if (!found.restarting_types.empty())
    set_restarting_condition_and_add_events(ctx, found);
  else if (found.running && !found.restarting)
    set_running_condition(ctx);
}

} // namespace troupe::core
