// Workloads at the API server, and Kueue, which is never in a hurry: whatever
// it does may come as late as everything else.
#include "tests/exploration/queue/queue_invariants.hpp"
#include "tests/exploration/world.hpp"

namespace troupe::exploration {

// -- the server ---------------------------------------------------------------

bool world::is_refusable(order_call_kind call) {
  return call == order_call_kind::make_workload
         || call == order_call_kind::write_workload;
}

void world::change_workload(const workload_body* to) {
  work.body = to;
  work.version = ++version;
  if (op)
    untold_workloads.push_back({work, false});
}

void world::remove_workload_now() {
  auto gone = work;
  gone.version = ++version;
  work = {};
  if (op)
    untold_workloads.push_back({gone, true});
}

void world::begin_deletion_of_workload() {
  if (!work.body->guarded)
    return remove_workload_now();
  work.deleting = true;
  change_workload(work.body);
}

order_answer world::execute_queue_call(int number, order_call_kind call,
                                       const queue_text& text,
                                       bool of_dead_process) {
  using what = order_answer::what;
  switch (call) {
  case order_call_kind::look:
  case order_call_kind::read_workload:
    return work.body ? order_answer{what::workload, {}, work}
                     : order_answer{what::nothing, {}};
  case order_call_kind::read_job:
    return {what::job, {}, {}, std::make_shared<const job_object>(job)};
  case order_call_kind::make_workload:
  case order_call_kind::write_workload:
    if (work.body && number > 0 && number != work.number)
      return {what::conflict, {}};
    return store_workload(text, of_dead_process);
  case order_call_kind::write_job:
    return store_job(text, of_dead_process);
  default:
    break;
  }
  if (!work.body)
    return {what::not_found, {}};
  if (number != work.number)
    return {what::conflict, {}};
  check_removal_of_workload(*this, of_dead_process);
  begin_deletion_of_workload();
  return {what::nothing, {}};
}

order_answer world::store_workload(const queue_text& text,
                                   bool of_dead_process) {
  using what = order_answer::what;
  if (text.version == 0) {
    if (work.body)
      return {what::exists, {}};
    auto place = static_cast<std::size_t>(s->workload_place());
    work.number = ++numbers[place];
    change_workload(text.body);
    return {what::workload, {}, work};
  }
  if (!work.body)
    return {what::not_found, {}};
  if (text.version != work.version)
    return {what::conflict, {}};
  check_workload(*this, *text.body, of_dead_process);
  change_workload(text.body);
  auto answer = order_answer{what::workload, {}, work};
  if (work.deleting && !work.body->guarded)
    remove_workload_now();
  return answer;
}

order_answer world::store_job(const queue_text& text, bool of_dead_process) {
  using what = order_answer::what;
  if (text.version != job.version)
    return {what::conflict, {}};
  check_spec(*this, *text.spec, of_dead_process);
  if (text.spec != job.spec) {
    job.spec = text.spec;
    ++job.generation;
    job.version = ++version;
    tell_job();
  }
  return {what::job, {}, {}, std::make_shared<const job_object>(job)};
}

bool world::is_known(const workload_fact& fact) const {
  const auto& known =
      op->memory.observed().children_of_kind(core::child_kind::workload);
  auto v = known.find(
      core::uid_key{uid_of_pod(s->workload_place(), fact.as_seen.number)});
  return !fact.gone && v != known.end() && fact.as_seen.version <= v->version;
}

void world::deliver_workload() {
  auto fact = untold_workloads.front();
  untold_workloads.pop_front();
  if (fact.gone)
    op->on_workload_deleted(*s, fact.as_seen);
  else
    op->on_workload_seen(*s, fact.as_seen);
}

// -- Kueue --------------------------------------------------------------------

void world::add_kueue_moves(std::vector<move>& to) const {
  if (!work.body || work.body->finished)
    return;
  const auto& b = *work.body;
  bool disturbs = may_be_disturbed();
  if (!work.deleting && left.workload_removals > 0 && disturbs)
    to.push_back({act::remove_workload});
  if (!b.active) {
    if (disturbs)
      to.push_back({act::activate});
    if (!b.evicted && !work.deleting)
      to.push_back({act::kueue_evicts_inactive});
    return;
  }
  if (left.deactivations > 0 && disturbs)
    to.push_back({act::deactivate});
  if (work.deleting)
    return;
  if (!b.reserved) {
    to.push_back({b.backs_off ? act::kueue_requeues : act::kueue_reserves});
    if (!b.backs_off && left.checks > 0)
      to.push_back({act::kueue_reserves_for_check});
    return;
  }
  if (b.evicted)
    return; // Its owner gives the quota back.
  if (!b.admitted)
    to.push_back({act::kueue_admits});
  if (left.preemptions > 0 && disturbs)
    to.push_back({act::kueue_preempts});
  if (left.time_outs > 0 && disturbs)
    to.push_back({act::kueue_times_out});
}

void world::make_kueue_move(move m) {
  auto change = [&](workload_change what) {
    change_workload(with(*work.body, what));
  };
  switch (m.what) {
  case act::kueue_reserves:
    return change(workload_change::reserve_and_admit);
  case act::kueue_reserves_for_check:
    --left.checks;
    return change(workload_change::reserve);
  case act::kueue_admits:
    return change(workload_change::admit);
  case act::kueue_preempts:
    --left.preemptions;
    return change(workload_change::preempt);
  case act::kueue_times_out:
    --left.time_outs;
    return change(workload_change::time_out);
  case act::kueue_evicts_inactive:
    return change(workload_change::evict_inactive);
  case act::kueue_requeues:
    return change(workload_change::requeue);
  case act::deactivate:
    --left.deactivations;
    return change(workload_change::deactivate);
  case act::activate:
    return change(workload_change::activate);
  case act::remove_workload:
    --left.workload_removals;
    return begin_deletion_of_workload();
  default:
    violation = "a move that nobody makes";
  }
}

} // namespace troupe::exploration
