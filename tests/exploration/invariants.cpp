#include "tests/exploration/invariants.hpp"

#include "tests/exploration/queue/queue_invariants.hpp"
#include "tests/exploration/truth.hpp"

#include <set>

namespace troupe::exploration {

namespace {

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

/// Of one that goes anyway, or is replaced alone. Its node must have been
/// silent.
bool is_removal_of_lost_pod(world& w, const core::delete_child& removal,
                            int slot) {
  if (!removal.at_once)
    return false;
  auto i = w.find_pod(slot, pod_of_uid(removal.uid).second);
  if ((w.past.silent >> static_cast<unsigned>(slot) & 1U) == 0
      || (i && w.pods[*i].spare))
    violate(w, "deletes " + removal.name + " at once, whose node reports");
  return !w.s->restarts_beyond_pod() || (i && w.pods[*i].deleting);
}

void check_decisions(world& w) {
  check_rule(w);
  const auto& saved = *w.job.status;
  for (const auto& d : w.op->decided) {
    const auto* removal = std::get_if<core::delete_child>(&d);
    if (!removal)
      continue;
    auto [slot, number] = pod_of_uid(removal->uid);
    if (w.s->is_service(slot))
      continue;
    bool told = saved.is_finished() || w.op->memory.job()->policy.suspend
                || (w.s->is_queued() && knows_of_no_quota(*w.op))
                || is_removal_of_lost_pod(w, *removal, slot);
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
  if (w.s->is_service(created.slot()))
    return;
  note_creation(w, created);
  check_quota_of(w, created);
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

} // namespace troupe::exploration
