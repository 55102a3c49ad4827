// What must hold where nothing is left to do.
#include "tests/exploration/invariants.hpp"
#include "tests/exploration/queue/queue_invariants.hpp"
#include "tests/exploration/truth.hpp"

namespace troupe::exploration {

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

/// Each replica has one, also one that is done; a job that does not run, none.
void check_services_at_end(world& w, std::size_t expected) {
  bool has_any = w.s->row().pods.services;
  if (w.services.size() != (has_any ? expected : 0))
    violate(w, "has " + std::to_string(w.services.size()) + " services, not "
                   + std::to_string(expected));
}

void check_suspended_end(world& w) {
  check_services_at_end(w, 0);
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
  // A success that comes while a queue takes its place back may be missed.
  bool was_held_again = w.s->is_queued() && w.job.generation > 3;
  if (has_reason_to_succeed(w, *w.job.status) && !was_held_again)
    violate(w, "does not succeed");
  if (w.job.status->is_condition_true(core::condition_type::suspended))
    violate(w, "runs, and says that it is suspended");
  check_counts_at_end(w);
  check_services_at_end(w, w.s->slots().size());
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
  if (w.s->is_queued())
    check_queue_end(w);
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
