#include "frameworks/core/completion.hpp"

#include "frameworks/core/names.hpp"
#include "frameworks/core/restarts.hpp"

namespace troupe::core {

namespace {

/// The failed pods of one type, by what is done about them.
struct failures {
  int replaced = 0;
  int leave = 0;
  int permanent = 0;
  int stay = 0;
  int disrupted = 0; ///< Not counted as failures.

  int all() const { return replaced + leave + permanent + stay; }
};

failures count_failures(const reconcile_context& p,
                        const replica_type_view& type) {
  failures result;
  for (const auto& state : type.slots) {
    if (!state.pod || state.pod->phase != k8s::pod_phase::failed)
      continue;
    switch (action_on_failure(*p.j.kind, type.spec->restart, *state.pod)) {
    case failure_action::replace:
      ++result.replaced;
      break;
    case failure_action::already_terminating:
      ++result.leave;
      break;
    case failure_action::replace_disrupted:
      ++result.disrupted;
      break;
    case failure_action::fail_job:
      ++result.permanent;
      break;
    case failure_action::keep:
      ++result.stay;
      break;
    }
  }
  return result;
}

/// Of all types but the one that leads.
void reset_follower_statuses(reconcile_context& p) {
  for (const auto& rule : p.j.kind->replicas)
    if (!leads(p.j, rule))
      if (auto i = p.status().replicas.find(rule.type);
          i != p.status().replicas.end())
        i->second = {};
}

bool index_zero_succeeded(const replica_type_view& type) {
  const auto* pod = type.slots.front().pod;
  return pod && pod->phase == k8s::pod_phase::succeeded
         && pod->exit_code == std::int32_t{0};
}

bool is_done(const reconcile_context& p, const replica_type_view& type,
             const replica_status& counts) {
  if (counts.succeeded >= type.spec->replicas)
    return true;
  switch (type.rule->succeeds) {
  case success::all:
    return false;
  case success::first:
    return p.j.success_policy != "AllWorkers" && index_zero_succeeded(type);
  case success::any_if_elastic:
    return p.j.elastic_policy && counts.succeeded > 0;
  }
  return false;
}

const replica_type_view* find(const classified_children& around,
                              const replica_rule& rule) {
  for (const auto& type : around.types)
    if (type.rule == &rule && !type.slots.empty())
      return &type;
  return nullptr;
}

void set_running(reconcile_context& p) {
  p.set_condition(condition_type::running, true, "Running",
                  fill_template(messages_for(p.j).running, p.j));
}

/// Adds the event about the leader's pod, before the event about the job, if
/// the kind has one (`message_template` is not empty).
void add_leader_event(reconcile_context& p, bool warning, std::string reason,
                      const char* message_template) {
  if (*message_template != '\0')
    p.out.events.push_back(
        {warning, std::move(reason), fill_template(message_template, p.j)});
}

/// The reason of the failed pod, or of the job.
std::string reason_of_failure(const reconcile_context& p,
                              const replica_type_view& type) {
  for (const auto& state : type.slots)
    if (state.pod && state.pod->phase == k8s::pod_phase::failed
        && !state.pod->status_reason.empty())
      return state.pod->status_reason;
  return condition_reason(*p.j.kind, "Failed");
}

void succeed_job(reconcile_context& p) {
  if (!p.status().is_true(condition_type::succeeded))
    add_leader_event(p, false, p.j.kind->type.plural + "Succeeded",
                     messages_for(p.j).leader_succeeded);
  if (p.j.kind->sets_running_before_end)
    set_running(p);
  if (p.succeed(fill_template(messages_for(p.j).succeeded, p.j))
      && p.j.kind->clears_follower_counts_at_end)
    reset_follower_statuses(p);
}

void add_eviction_event(reconcile_context& p, const replica_type_view& type) {
  const char* words = messages_for(p.j).evicted;
  if (leads(p.j, *type.rule))
    return;
  int count = 0;
  for (const auto& state : type.slots)
    count += state.pod && state.pod->evicted ? 1 : 0;
  if (count > 0 && *words != '\0')
    p.add_event(
        true, "Evicted",
        fill_template(words, p.j, count, std::to_string(type.spec->replicas)));
}

void fail_job(reconcile_context& p, const replica_type_view& type,
              const failures& f) {
  const auto& kind = *p.j.kind;
  bool leader = leads(p.j, *type.rule);
  if (!p.status().is_true(condition_type::failed)) {
    add_eviction_event(p, type);
    if (leader)
      add_leader_event(p, true, reason_of_failure(p, type),
                       messages_for(p.j).leader_failed);
  }
  auto own =
      fill_template(messages_for(p.j).failed, p.j, f.all(), type.spec->type);
  if (f.permanent == 0) {
    if (kind.sets_running_before_end)
      set_running(p);
    p.fail(own, kind.failed_reason_suffix, false, "Failed");
  } else if (p.fail("job \"" + p.j.name + "\" is failing because \""
                        + type.spec->type + "\" replica(s) failed.",
                    "Failed", true)
             && kind.adds_own_event_on_permanent_failure) {
    p.add_event(false, "Failed", own);
  }
  if (leader && kind.clears_follower_counts_at_end)
    reset_follower_statuses(p);
}

/// Summary over all replica types.
struct findings {
  bool running = false;
  bool restarting = false;
  const replica_type_view* restarting_type = nullptr; ///< The first.
  int restarting_failed = 0;                          ///< Of that type.
};

void set_restarting(reconcile_context& p, const findings& found) {
  const auto& type = found.restarting_type->spec->type;
  auto common = "job " + p.j.name + " is restarting because " + type
                + " replica(s) failed.";
  if (!p.set_condition(condition_type::restarting, true, "Restarting", common))
    return;
  add_eviction_event(p, *found.restarting_type);
  p.add_event(true, "Restarting", common);
  const char* words = messages_for(p.j).restarting;
  if (*words == '\0')
    return;
  auto own = fill_template(words, p.j, found.restarting_failed, type);
  if (p.j.kind->sets_running_before_end) {
    set_running(p);
    p.set_condition(condition_type::restarting, true, "Restarting", own);
  }
  p.add_event(true, "Restarting", own);
}

/// Returns whether the job has ended.
bool evaluate_type_ends_job(reconcile_context& p, const replica_type_view& type,
                            findings& found) {
  const auto& counts = p.status().replicas[type.spec->type];
  if (leads(p.j, *type.rule)) {
    if (is_done(p, type, counts)) {
      succeed_job(p);
      return true;
    }
    found.running |= counts.active > 0;
  }
  auto f = count_failures(p, type);
  bool may_fail = type.rule->may_fail_if_dynamic && p.j.dynamic_workers;
  if (f.permanent + f.stay > 0 && !may_fail) {
    if (found.running) // As the original: sets Running before Failed.
      set_running(p);
    fail_job(p, type, f);
    return true;
  }
  if (f.replaced > 0 && !found.restarting) {
    found.restarting = true;
    found.restarting_type = &type;
    found.restarting_failed = f.all();
  }
  // The failed pod is already terminating: keep Restarting.
  if (f.leave + f.disrupted > 0
      && p.status().is_true(condition_type::restarting))
    found.restarting = true;
  return false;
}

} // namespace

void update_job_conditions(reconcile_context& p) {
  findings found;
  for (const auto& rule : p.j.kind->replicas)
    if (const auto* type = find(p.children, rule);
        type && evaluate_type_ends_job(p, *type, found))
      return;
  if (found.restarting_type)
    set_restarting(p, found);
  else if (found.running && !found.restarting)
    set_running(p);
}

} // namespace troupe::core
