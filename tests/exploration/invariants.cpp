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

bool restarts_whole_job(const world& w) {
  return w.s->job().failure_policy_or_default().may_restart_beyond_pod();
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
bool has_reason_to_succeed(const world& w, int attempt) {
  auto done = w.past.succeeded[static_cast<std::size_t>(attempt)];
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

void note_end_of_pod(world& w, const pod& p, bool well) {
  auto attempt = static_cast<std::size_t>(attempt_of(p));
  if (well)
    w.past.succeeded[attempt] |= 1U << static_cast<unsigned>(p.slot());
  if (well || p.deleting)
    return;
  w.past.failed.emplace_back(p.slot(), p.number);
  ++w.past.failures[attempt];
}

void note_removal_by_hand(world& w, const pod& p) {
  ++w.past.removals[static_cast<std::size_t>(attempt_of(p))];
}

// -- while it goes on ---------------------------------------------------------

void check_decisions(world& w) {
  const auto& saved = *w.job.status;
  for (const auto& d : w.op->decided) {
    const auto* removal = std::get_if<core::delete_child>(&d);
    if (!removal)
      continue;
    auto [slot, number] = pod_of_uid(removal->uid);
    bool told = saved.is_finished() || w.op->memory.job()->policy.suspend;
    if (auto i = w.find_pod(slot, number); i && restarts_whole_job(w)) {
      // On resumption, too, all pods of before go first.
      told |= attempt_of(w.pods[*i]) < attempt_of(saved)
              || saved.is_condition_true(core::condition_type::suspended);
    } else if (!i) {
      continue; // It is gone.
    }
    if (!told && !restarts_whole_job(w) && has_failed(w, slot, number))
      told =
          !w.s->job().policy.backoff_limit || has_record(saved, removal->uid);
    if (!told)
      violate(w, "deletes " + removal->name
                     + " before the status that says why is saved");
  }
}

void check_creation(world& w, const pod& created) {
  if (attempt_of(created) > attempt_of(*w.job.status))
    violate(w, name_of(*w.s, created) + " is of an attempt that is not saved");
  for (const auto& p : w.pods) {
    if (p.is(created))
      continue;
    if (p.slot() == created.slot())
      violate(w, "two pods of one slot: " + name_of(*w.s, p) + " and "
                     + name_of(*w.s, created));
    if (attempt_of(p) != attempt_of(created))
      violate(w, name_of(*w.s, created) + " of attempt "
                     + std::to_string(attempt_of(created)) + " meets "
                     + name_of(*w.s, p) + " of attempt "
                     + std::to_string(attempt_of(p)));
  }
}

namespace {

/// An attempt follows another one if that has lost a pod; it counts against
/// the budget if the pod failed by itself.
void check_attempts(world& w, const core::job_status& next) {
  const auto& before = *w.job.status;
  auto old = attempt_of(before);
  auto fresh = attempt_of(next);
  auto i = static_cast<std::size_t>(old);
  auto counted = next.recovery->counted;
  if (fresh < old || fresh > old + 1)
    return violate(w, "attempt " + std::to_string(fresh) + " follows "
                          + std::to_string(old));
  if (counted != before.recovery->counted && fresh == old)
    return violate(w, "counts attempt " + std::to_string(fresh) + " again");
  if (fresh == old)
    return;
  if (w.past.failures[i] + w.past.removals[i] == 0)
    violate(w, "begins an attempt without a reason");
  auto more = counted - before.recovery->counted;
  if (more > (w.past.failures[i] > 0 ? 1 : 0))
    violate(w, "counts an attempt more often than it may");
  if (more < (w.past.removals[i] == 0 ? 1 : 0))
    violate(w, "does not count an attempt after a failure");
  const auto& most = w.s->job().failure_policy_or_default().max_restarts;
  if (most && counted > *most)
    violate(w, "is restarted more often than its budget allows");
}

/// Whether a failure fails the job: the budget is used up.
bool is_budget_used_up(const world& w) {
  const auto& most = w.s->job().failure_policy_or_default().max_restarts;
  auto attempt = static_cast<std::size_t>(attempt_of(*w.job.status));
  return most && w.job.status->recovery->counted >= *most
         && w.past.failures[attempt] > 0;
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
      && !has_reason_to_succeed(w, attempt_of(next)))
    violate(w, "succeeds without a reason");
  if (restarts_whole_job(w)) {
    if (next.is_condition_true(core::condition_type::failed)
        && !is_budget_used_up(w))
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
  auto attempt = attempt_of(*w.job.status);
  for (const auto& p : w.pods)
    if (restarts_whole_job(w) && attempt_of(p) != attempt)
      violate(w, "goes on with " + name_of(*w.s, p) + " of an older attempt");
  if (has_reason_to_succeed(w, attempt))
    violate(w, "does not succeed");
  if (w.job.status->is_condition_true(core::condition_type::suspended))
    violate(w, "runs, and says that it is suspended");
  check_counts_at_end(w);
}

/// A failure that nobody else hid is counted, and one beyond the limit ends
/// the job.
void check_budget_at_end(world& w) {
  const auto& limit = w.s->job().policy.backoff_limit;
  bool hidden = w.job.generation > 1 || w.left.removals < w.s->most.removals
                || w.job.status->is_finished();
  if (restarts_whole_job(w) && is_budget_used_up(w) && !w.job.suspended()
      && !w.job.status->is_finished())
    violate(w, "goes on beyond its budget");
  if (!limit || hidden || restarts_whole_job(w))
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
