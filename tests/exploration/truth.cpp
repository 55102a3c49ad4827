#include "tests/exploration/truth.hpp"

#include "tests/exploration/invariants.hpp"

#include <algorithm>

namespace troupe::exploration {

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

int attempt_of(const world& w, const core::job_status& s, std::size_t slot) {
  const auto& at = w.s->slots()[slot];
  return s.recovery->attempt_of(w.s->job().find_replica_spec(at.type)->type);
}

int attempt_of(const world& w, const core::job_status& s, const pod& p) {
  return attempt_of(w, s, static_cast<std::size_t>(p.slot()));
}

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

/// Without a chief a TFJob's first worker decides, an MPIJob's launcher; of
/// other kinds here, all pods do.
bool has_reason_to_succeed(const world& w, const core::job_status& s) {
  auto done = slots_of(w, s, w.past.succeeded);
  const auto& slots = w.s->slots();
  unsigned workers = 0;
  unsigned first = 0;
  unsigned launcher = 0;
  for (std::size_t i = 0; i < slots.size(); ++i)
    if (slots[i].type == "worker") {
      workers |= 1U << i;
      first |= slots[i].index == 0 ? 1U << i : 0U;
    } else if (slots[i].type == "launcher") {
      launcher |= 1U << i;
    }
  const auto& kind = w.s->row().names.type.kind;
  auto needed = kind == "TFJob" ? first : kind == "MPIJob" ? launcher : workers;
  return (done & needed) == needed;
}

bool is_budget_used_up(const world& w) {
  const auto& most = w.s->job().failure_policy_or_default().max_restarts;
  return most && w.job.status->recovery->counted >= *most
         && slots_of(w, *w.job.status, w.past.failures) != 0;
}

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

void note_creation(world& w, const pod& created) {
  auto last = w.s->last_slot();
  if (last < 0)
    return;
  auto& made = w.past.made[static_cast<std::size_t>(attempt_of(created))];
  made |=
      static_cast<std::uint8_t>(1U << static_cast<unsigned>(created.slot()));
  auto all = (1U << w.s->slots().size()) - 1;
  if (created.slot() == last && made != all)
    violate(w, name_of(*w.s, created) + " is made before its workers");
}

void note_removal(world& w, const pod& p) {
  w.past.must_fail = false;
  w.past.removals[static_cast<std::size_t>(attempt_of(p))] |=
      1U << static_cast<unsigned>(p.slot());
}

int saved_attempt(const world& w, const std::string& type) {
  return w.job.status->recovery->attempt_of(
      w.s->job().find_replica_spec(type)->type);
}

} // namespace troupe::exploration
