#include "frameworks/core/completion.hpp"

#include "frameworks/core/names.hpp"
#include "frameworks/core/restarts.hpp"

namespace troupe::core {

namespace {

/// What became of the failed pods of one type.
struct failures {
  int replaced = 0;
  int leave = 0;
  int permanent = 0;
  int stay = 0;
  int disrupted = 0; ///< No failures.

  int all() const { return replaced + leave + permanent + stay; }
};

failures sort_failures(const reconcile_context& p,
                       const replica_type_view& type) {
  failures result;
  for (const auto& state : type.slots) {
    if (!state.pod || state.pod->phase != k8s::pod_phase::failed)
      continue;
    switch (action_on_failure(*p.j.kind, type.spec->restart, *state.pod)) {
    case failure_action::replaced:
      ++result.replaced;
      break;
    case failure_action::terminating:
      ++result.leave;
      break;
    case failure_action::disrupted:
      ++result.disrupted;
      break;
    case failure_action::permanent:
      ++result.permanent;
      break;
    case failure_action::stays:
      ++result.stay;
      break;
    }
  }
  return result;
}

/// Of all types but the one that leads.
void clear_followers(reconcile_context& p) {
  for (const auto& rule : p.j.kind->replicas)
    if (!leads(p.j, rule))
      if (auto i = p.status().replicas.find(rule.type);
          i != p.status().replicas.end())
        i->second = {};
}

bool first_is_done(const replica_type_view& type) {
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
    return p.j.success_policy != "AllWorkers" && first_is_done(type);
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

void call_running(reconcile_context& p) {
  p.set_condition(condition_type::running, true, "Running",
                  fill_template(messages_for(p.j).running, p.j));
}

/// What the controller tells of the leader itself, before it tells of the job.
void tell_of_leader(reconcile_context& p, bool warning, std::string reason,
                    const char* words) {
  if (*words != '\0')
    p.out.events.push_back(
        {warning, std::move(reason), fill_template(words, p.j)});
}

/// The failed pod's own reason, or the job's.
std::string reason_of_failure(const reconcile_context& p,
                              const replica_type_view& type) {
  for (const auto& state : type.slots)
    if (state.pod && state.pod->phase == k8s::pod_phase::failed
        && !state.pod->status_reason.empty())
      return state.pod->status_reason;
  return condition_reason(*p.j.kind, "Failed");
}

void succeed_for(reconcile_context& p) {
  if (!p.status().is_true(condition_type::succeeded))
    tell_of_leader(p, false, p.j.kind->type.plural + "Succeeded",
                   messages_for(p.j).leader_succeeded);
  if (p.j.kind->runs_before_it_ends)
    call_running(p);
  if (p.succeed(fill_template(messages_for(p.j).succeeded, p.j))
      && p.j.kind->end_clears_counts)
    clear_followers(p);
}

void tell_of_evictions(reconcile_context& p, const replica_type_view& type) {
  const char* words = messages_for(p.j).evicted;
  if (leads(p.j, *type.rule))
    return;
  int count = 0;
  for (const auto& state : type.slots)
    count += state.pod && state.pod->evicted ? 1 : 0;
  if (count > 0 && *words != '\0')
    p.record_event(
        true, "Evicted",
        fill_template(words, p.j, count, std::to_string(type.spec->replicas)));
}

void fail_for(reconcile_context& p, const replica_type_view& type,
              const failures& f) {
  const auto& kind = *p.j.kind;
  bool leader = leads(p.j, *type.rule);
  if (!p.status().is_true(condition_type::failed)) {
    tell_of_evictions(p, type);
    if (leader)
      tell_of_leader(p, true, reason_of_failure(p, type),
                     messages_for(p.j).leader_failed);
  }
  auto own =
      fill_template(messages_for(p.j).failed, p.j, f.all(), type.spec->type);
  if (f.permanent == 0) {
    if (kind.runs_before_it_ends)
      call_running(p);
    p.fail(own, kind.failed_suffix, false, "Failed");
  } else if (p.fail("job \"" + p.j.name + "\" is failing because \""
                        + type.spec->type + "\" replica(s) failed.",
                    "Failed", true)
             && kind.repeats_permanent) {
    p.record_event(false, "Failed", own);
  }
  if (leader && kind.end_clears_counts)
    clear_followers(p);
}

/// What the types say together.
struct findings {
  bool running = false;
  bool restarting = false;
  const replica_type_view* restarting_type = nullptr; ///< The first.
  int restarting_failed = 0;                          ///< Of that type.
};

void call_restarting(reconcile_context& p, const findings& found) {
  const auto& type = found.restarting_type->spec->type;
  auto common = "job " + p.j.name + " is restarting because " + type
                + " replica(s) failed.";
  if (!p.set_condition(condition_type::restarting, true, "Restarting", common))
    return;
  tell_of_evictions(p, *found.restarting_type);
  p.record_event(true, "Restarting", common);
  const char* words = messages_for(p.j).restarting;
  if (*words == '\0')
    return;
  auto own = fill_template(words, p.j, found.restarting_failed, type);
  if (p.j.kind->runs_before_it_ends) {
    call_running(p);
    p.set_condition(condition_type::restarting, true, "Restarting", own);
  }
  p.record_event(true, "Restarting", own);
}

/// Returns whether the job has ended.
bool evaluate_type(reconcile_context& p, const replica_type_view& type,
                   findings& found) {
  const auto& counts = p.status().replicas[type.spec->type];
  if (leads(p.j, *type.rule)) {
    if (is_done(p, type, counts)) {
      succeed_for(p);
      return true;
    }
    found.running |= counts.active > 0;
  }
  auto f = sort_failures(p, type);
  bool elastic = type.rule->elastic && p.j.dynamic_workers;
  if (f.permanent + f.stay > 0 && !elastic) {
    if (found.running) // The leader ran until now.
      call_running(p);
    fail_for(p, type, f);
    return true;
  }
  if (f.replaced > 0 && !found.restarting) {
    found.restarting = true;
    found.restarting_type = &type;
    found.restarting_failed = f.all();
  }
  // Still the same restart, though its pod is going by now.
  if (f.leave + f.disrupted > 0
      && p.status().is_true(condition_type::restarting))
    found.restarting = true;
  return false;
}

} // namespace

void evaluate_completion(reconcile_context& p) {
  findings found;
  for (const auto& rule : p.j.kind->replicas)
    if (const auto* type = find(p.children, rule);
        type && evaluate_type(p, *type, found))
      return;
  if (found.restarting_type)
    call_restarting(p, found);
  else if (found.running && !found.restarting)
    call_running(p);
}

} // namespace troupe::core
