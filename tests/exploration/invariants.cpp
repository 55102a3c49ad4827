#include "tests/exploration/invariants.hpp"

#include <algorithm>
#include <set>

namespace troupe::exploration {

namespace {

void violate(world& w, const std::string& what) {
  if (w.violation.empty())
    w.violation = what;
}

int attempt_of(const pod& p) {
  return std::max(p.body->attempt, 0);
}

bool has_failed(const world& w, int slot, int number) {
  const auto& all = w.past.failed;
  return std::find(all.begin(), all.end(), std::make_pair(slot, number))
         != all.end();
}

int attempt_of(const core::job_status& s) {
  return s.recovery->attempt;
}

/// Of pods in this slot.
int attempt_of(const world& w, const core::job_status& s, std::size_t slot) {
  const auto& at = w.s->slots()[slot];
  return s.recovery->attempt_of(w.s->job().find_replica_spec(at.type)->type);
}

int attempt_of(const world& w, const core::job_status& s, const pod& p) {
  return attempt_of(w, s, static_cast<std::size_t>(p.slot()));
}

/// Of the slots, those of whose pods of the status's attempts it is noted.
unsigned slots_of(const world& w, const core::job_status& s,
                  const history::slots_by_attempt& noted) {
  unsigned result = 0;
  for (std::size_t i = 0; i < w.s->slots().size(); ++i)
    result |= noted[static_cast<std::size_t>(attempt_of(w, s, i))] & (1U << i);
  return result;
}

int sum_of_restarts(const core::job_status& s) {
  int sum = 0;
  for (const auto& r : s.restarts)
    sum += r.count;
  return sum;
}

bool has_record(const core::job_status& s, const std::string& uid) {
  return std::any_of(s.restarts.begin(), s.restarts.end(),
                     [&](const auto& r) { return r.uid == uid; });
}

/// Without a chief a TFJob's first worker decides; of other kinds here, all
/// pods do.
bool has_reason_to_succeed(const world& w, const core::job_status& s) {
  auto done = slots_of(w, s, w.past.succeeded);
  const auto& slots = w.s->slots();
  unsigned workers = 0;
  unsigned first = 0;
  for (std::size_t i = 0; i < slots.size(); ++i)
    if (slots[i].type == "worker") {
      workers |= 1U << i;
      first |= slots[i].index == 0 ? 1U << i : 0U;
    }
  bool one_is_enough = w.s->row().names.type.kind == "TFJob";
  auto needed = one_is_enough ? first : workers;
  return (done & needed) == needed;
}

void check_restart_records(world& w, const core::job_status& next) {
  std::set<std::string> uids;
  for (const auto& r : next.restarts) {
    if (!uids.insert(r.uid).second)
      violate(w, "two records of one pod's restart: " + r.pod);
    auto [slot, number] = pod_of_uid(r.uid);
    if (!r.uid.empty() && !has_failed(w, slot, number))
      violate(w, "counts a failure that never was: " + r.pod);
  }
  auto failures = static_cast<int>(w.past.failed.size());
  auto sum = sum_of_restarts(next);
  if (sum > failures)
    violate(w, "counts " + std::to_string(sum) + " failures of "
                   + std::to_string(failures));
  if (sum < sum_of_restarts(*w.job.status))
    violate(w, "forgets failures that were counted");
  const auto& limit = w.s->job().policy.backoff_limit;
  if (limit && sum > *limit)
    violate(w, "restarts " + std::to_string(sum) + " times, more than its "
                   + "limit");
}

} // namespace

// -- the history --------------------------------------------------------------

void note_end_of_pod(world& w, const pod& p) {
  auto attempt = static_cast<std::size_t>(attempt_of(p));
  auto bit = static_cast<std::uint8_t>(1U << static_cast<unsigned>(p.slot()));
  if (p.exit_code == 0)
    w.past.succeeded[attempt] |= bit;
  if (p.exit_code == 0 || p.deleting)
    return;
  bool first = w.past.failures[attempt] == 0 && w.past.removals[attempt] == 0
               && attempt_of(p) == attempt_of(w, *w.job.status, p);
  w.past.must_fail = p.exit_code == fatal_exit_code ? first : false;
  w.past.failed_fatally |= p.exit_code == fatal_exit_code;
  w.past.failed.emplace_back(p.slot(), p.number);
  w.past.failures[attempt] |= bit;
}

void note_removal_by_hand(world& w, const pod& p) {
  w.past.must_fail = false;
  w.past.removals[static_cast<std::size_t>(attempt_of(p))] |=
      1U << static_cast<unsigned>(p.slot());
}

int saved_attempt(const world& w, const std::string& type) {
  return w.job.status->recovery->attempt_of(
      w.s->job().find_replica_spec(type)->type);
}

// -- while it goes on ---------------------------------------------------------

/// A failure for which a rule fails the job comes before one that restarts it,
/// if a pass sees both.
void check_rule(world& w) {
  if (w.s->most.fatal_failures == 0 || w.op->memory.job()->policy.suspend
      || w.op->status->is_finished())
    return;
  for (const auto& pod : w.op->memory.observed().pods())
    if (pod.phase == k8s::pod_phase::failed && pod.exit_code == fatal_exit_code
        && pod.failed_before_deletion)
      violate(w, "goes on although it has seen " + pod.name
                     + " fail with the code of its rule");
}

void check_decisions(world& w) {
  check_rule(w);
  const auto& saved = *w.job.status;
  for (const auto& d : w.op->decided) {
    const auto* removal = std::get_if<core::delete_child>(&d);
    if (!removal)
      continue;
    auto [slot, number] = pod_of_uid(removal->uid);
    bool told = saved.is_finished() || w.op->memory.job()->policy.suspend;
    if (auto i = w.find_pod(slot, number); i && w.s->restarts_beyond_pod()) {
      // On resumption, too, all pods of before go first.
      told |=
          attempt_of(w.pods[*i]) < attempt_of(w, saved, w.pods[*i])
          || w.op->status->is_condition_true(core::condition_type::suspended);
    } else if (!i) {
      continue; // It is gone.
    }
    if (!told && !w.s->restarts_beyond_pod() && has_failed(w, slot, number))
      told =
          !w.s->job().policy.backoff_limit || has_record(saved, removal->uid);
    if (!told)
      violate(w, "deletes " + removal->name
                     + " before the status that says why is saved");
  }
}

/// Whether pods of both may be there only if they are of the same attempt.
bool belong_together(const world& w, const pod& a, const pod& b) {
  const auto& slots = w.s->slots();
  return !w.s->restarts_types()
         || slots[static_cast<std::size_t>(a.slot())].type
                == slots[static_cast<std::size_t>(b.slot())].type;
}

void check_creation(world& w, const pod& created) {
  if (attempt_of(created) > attempt_of(w, *w.job.status, created))
    violate(w, name_of(*w.s, created) + " is of an attempt that is not saved");
  for (const auto& p : w.pods) {
    if (p.is(created))
      continue;
    if (p.slot() == created.slot())
      violate(w, "two pods of one slot: " + name_of(*w.s, p) + " and "
                     + name_of(*w.s, created));
    // No server refuses a call of a process that has died.
    bool may_meet =
        p.came_late || created.came_late || !belong_together(w, p, created);
    if (attempt_of(p) != attempt_of(created) && !may_meet)
      violate(w, name_of(*w.s, created) + " of attempt "
                     + std::to_string(attempt_of(created)) + " meets "
                     + name_of(*w.s, p) + " of attempt "
                     + std::to_string(attempt_of(p)));
  }
}

namespace {

/// The slots whose pods a new attempt replaces.
unsigned restarted_slots(const world& w, const core::job_status& next) {
  unsigned result = 0;
  for (std::size_t i = 0; i < w.s->slots().size(); ++i)
    if (attempt_of(w, next, i) == attempt_of(next))
      result |= 1U << i;
  return result;
}

/// An attempt follows another one if that has lost a pod; it counts against
/// the budget if the pod failed by itself.
void check_attempts(world& w, const core::job_status& next) {
  const auto& before = *w.job.status;
  auto old = attempt_of(before);
  auto fresh = attempt_of(next);
  auto counted = next.recovery->counted;
  if (fresh < old || fresh > old + 1)
    return violate(w, "attempt " + std::to_string(fresh) + " follows "
                          + std::to_string(old));
  if (counted != before.recovery->counted && fresh == old)
    return violate(w, "counts attempt " + std::to_string(fresh) + " again");
  if (fresh == old)
    return;
  auto restarted = restarted_slots(w, next);
  auto failed = slots_of(w, before, w.past.failures) & restarted;
  auto removed = slots_of(w, before, w.past.removals) & restarted;
  // Pods go when a suspension is seen, before that is saved. A process that
  // knows nothing of it misses them.
  if (w.job.generation > 1)
    removed |= restarted;
  for (std::size_t i = 0; i < w.s->slots().size(); ++i) {
    unsigned together = 0;
    for (std::size_t j = 0; j < w.s->slots().size(); ++j)
      if (!w.s->restarts_types()
          || w.s->slots()[i].type == w.s->slots()[j].type)
        together |= 1U << j;
    if ((restarted & (1U << i)) != 0 && ((failed | removed) & together) == 0)
      violate(w, "begins an attempt without a reason");
    if ((restarted & (1U << i)) == 0
        && attempt_of(w, next, i) != attempt_of(w, before, i))
      violate(w, "another attempt of a type that is not restarted");
  }
  auto more = counted - before.recovery->counted;
  if (more > (failed != 0 ? 1 : 0))
    violate(w, "counts an attempt more often than it may");
  if (more < (removed == 0 ? 1 : 0))
    violate(w, "does not count an attempt after a failure");
  const auto& most = w.s->job().failure_policy_or_default().max_restarts;
  if (most && counted > *most)
    violate(w, "is restarted more often than its budget allows");
}

/// Whether a failure fails the job: the budget is used up.
bool is_budget_used_up(const world& w) {
  const auto& most = w.s->job().failure_policy_or_default().max_restarts;
  return most && w.job.status->recovery->counted >= *most
         && slots_of(w, *w.job.status, w.past.failures) != 0;
}

} // namespace

void check_status(world& w, const core::job_status& next) {
  const auto& before = *w.job.status;
  check_attempts(w, next);
  check_restart_records(w, next);
  if (before.is_finished() && !next.is_finished())
    violate(w, "a finished job begins again");
  if (before.is_finished())
    return;
  if (next.is_condition_true(core::condition_type::succeeded)
      && !has_reason_to_succeed(w, next))
    violate(w, "succeeds without a reason");
  if (w.s->restarts_beyond_pod()) {
    if (next.is_condition_true(core::condition_type::failed)
        && !is_budget_used_up(w) && !w.past.failed_fatally)
      violate(w, "fails within its budget");
    return;
  }
  const auto& limit = w.s->job().policy.backoff_limit;
  auto failures = static_cast<int>(w.past.failed.size());
  if (next.is_condition_true(core::condition_type::failed)
      && failures <= limit.value_or(failures))
    violate(w, "fails after " + std::to_string(failures)
                   + " failures, which its limit allows");
}

// -- the end ------------------------------------------------------------------

namespace {

bool is_saved_as_done(const world& w, const core::slot& at) {
  const auto& type = w.s->job().find_replica_spec(at.type)->type;
  return w.job.status->recovery->completed_of(type).contains(at.index);
}

/// Succeeded in the present attempt, and saved so.
int done_without_pod(const world& w, const core::replica_spec& type) {
  int sum = 0;
  for (std::size_t i = 0; i < w.s->slots().size(); ++i) {
    const auto& at = w.s->slots()[i];
    if (at.type == type.label && is_saved_as_done(w, at)
        && !w.find_pod(static_cast<int>(i), 0))
      ++sum;
  }
  return sum;
}

void check_suspended_end(world& w) {
  if (!w.job.status->is_condition_true(core::condition_type::suspended))
    violate(w, "suspended, and does not say so");
  if (!w.pods.empty())
    violate(w, "suspended, and still has " + name_of(*w.s, w.pods.front()));
  for (const auto& [type, counts] : w.job.status->replicas)
    if (counts.active + counts.succeeded + counts.failed > 0)
      violate(w, "suspended, and counts " + type);
}

void check_counts_at_end(world& w) {
  std::map<std::string, core::replica_status> truth;
  for (const auto& type : w.s->job().replicas)
    truth[type.type].succeeded = done_without_pod(w, type);
  for (const auto& p : w.pods) {
    const auto& at = w.s->slots()[static_cast<std::size_t>(p.slot())];
    auto& counts = truth[w.s->job().find_replica_spec(at.type)->type];
    counts.active += p.phase == k8s::pod_phase::running ? 1 : 0;
    counts.succeeded += p.phase == k8s::pod_phase::succeeded ? 1 : 0;
  }
  for (const auto& [type, counts] : truth) {
    auto i = w.job.status->replicas.find(type);
    if (i == w.job.status->replicas.end() || i->second.active != counts.active
        || i->second.succeeded != counts.succeeded || i->second.failed != 0)
      violate(w, "does not count its " + type + " as they are");
  }
}

void check_running_end(world& w) {
  unsigned filled = 0;
  for (const auto& p : w.pods)
    filled |= 1U << static_cast<unsigned>(p.slot());
  // A replica whose success was seen is done, also when its pod is gone.
  for (std::size_t i = 0; i < w.s->slots().size(); ++i)
    if ((filled & (1U << i)) == 0 && !is_saved_as_done(w, w.s->slots()[i]))
      violate(w, "goes on without " + core::to_string(w.s->slots()[i]));
  for (const auto& p : w.pods)
    if (p.deleting || p.phase == k8s::pod_phase::failed)
      violate(w,
              "goes on with " + name_of(*w.s, p) + ", which is not replaced");
  for (const auto& p : w.pods)
    if (w.s->restarts_beyond_pod()
        && attempt_of(p) != attempt_of(w, *w.job.status, p))
      violate(w, "goes on with " + name_of(*w.s, p) + " of an older attempt");
  if (has_reason_to_succeed(w, *w.job.status))
    violate(w, "does not succeed");
  if (w.job.status->is_condition_true(core::condition_type::suspended))
    violate(w, "runs, and says that it is suspended");
  check_counts_at_end(w);
}

/// A failure that nobody else hid is counted, and one beyond the limit ends
/// the job.
void check_budget_at_end(world& w) {
  // Another process may not have seen it.
  bool seen = w.left.deaths == w.s->most.deaths
              && w.left.lists == w.s->most.lists && w.job.generation == 1;
  if (w.past.must_fail && seen && !w.job.status->is_finished())
    violate(w, "goes on after a failure for which its rule fails it");
  const auto& limit = w.s->job().policy.backoff_limit;
  bool hidden = w.job.generation > 1 || w.left.removals < w.s->most.removals
                || w.job.status->is_finished();
  if (w.s->restarts_beyond_pod() && is_budget_used_up(w) && !w.job.suspended()
      && !w.job.status->is_finished())
    violate(w, "goes on beyond its budget");
  if (!limit || hidden || w.s->restarts_beyond_pod())
    return;
  if (sum_of_restarts(*w.job.status) != static_cast<int>(w.past.failed.size()))
    violate(w, "has not counted each failure");
}

} // namespace

void check_end(world& w) {
  if (!w.op->memory.job() || *w.op->status != *w.job.status)
    violate(w, "has not saved its status");
  if (w.op->memory.expectations().creation_count() > 0)
    violate(w, "waits for an order that nobody carries out");
  check_budget_at_end(w);
  if (w.job.status->is_finished()) {
    if (!w.job.status->completion_time)
      violate(w, "is over without a time");
  } else if (w.job.suspended()) {
    check_suspended_end(w);
  } else {
    check_running_end(w);
  }
}

} // namespace troupe::exploration
