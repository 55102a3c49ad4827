// What happens at once, because it makes no difference when: see README.md.
#include "tests/exploration/world.hpp"

#include <algorithm>

namespace troupe::exploration {

void world::settle(move after) {
  forget_late_calls_without_effect();
  if (!op)
    return;
  answer_outdated_write();
  read_flavors();
  if (s->most.prompt > 0)
    tell_all_facts();
  if (!untold_list)
    tell_old_facts();
  bool may_be_new =
      after.what <= act::deliver_read || after.what == act::start_operator;
  if (may_be_new && op->pass_queued)
    op->pass_queued = op->would_pass_change(*s, now);
}

/// It is refused whenever it comes.
void world::answer_outdated_write() {
  auto& w = op->writing;
  if (w && w->answer == status_call::outcome::none && w->version != 0
      && w->version != job.version && left.lost_answers == 0)
    w->answer = status_call::outcome::conflict;
}

/// Ever: versions only grow, and no UID comes again.
bool world::may_have_effect(const late_call& call) const {
  if (is_of_queue(call.call))
    return call.call == order_call_kind::make_workload || has_effect_now(call);
  if (call.status)
    return call.status->version == 0 || call.status->version == job.version;
  return call.call == order_call_kind::create || has_effect_now(call);
}

bool world::has_effect_now(const late_call& call) const {
  if (call.status)
    return may_have_effect(call);
  switch (call.call) {
  case order_call_kind::make_workload:
    return !work.body;
  case order_call_kind::write_workload:
    return work.body && call.text.version == work.version;
  case order_call_kind::remove_workload:
    return work.body && call.number == work.number && !work.deleting;
  case order_call_kind::write_job:
    return call.text.version == job.version;
  default:
    break;
  }
  const auto* there = find_object(call.slot, call.number);
  if (call.call == order_call_kind::create)
    return !there;
  return there
         && (call.call == order_call_kind::remove_at_once || !there->deleting);
}

void world::forget_late_calls_without_effect() {
  late.erase(
      std::remove_if(late.begin(), late.end(),
                     [&](const auto& call) { return !may_have_effect(call); }),
      late.end());
}

/// They never change.
void world::read_flavors() {
  for (std::size_t i = 0; i < op->orders.size(); ++i)
    if (auto& o = op->orders[i];
        o.call == order_call_kind::read_flavor && !o.answer) {
      o.answer = order_answer{order_answer::what::flavor, {}};
      return op->on_order_answer(*s, i, now);
    }
}

void world::tell_all_facts() {
  for (; !untold_jobs.empty(); untold_jobs.pop_front())
    op->on_job_seen(*s, untold_jobs.front());
  while (!untold_workloads.empty())
    deliver_workload();
  while (!channels.empty())
    deliver_pod(0);
}

void world::tell_old_facts() {
  while (!untold_jobs.empty() && untold_jobs.front().version <= op->version)
    untold_jobs.pop_front();
  while (!untold_workloads.empty() && is_known(untold_workloads.front()))
    deliver_workload();
  for (std::size_t i = channels.size(); i-- > 0;)
    for (auto untold = channels[i].untold.size(); untold > 0; --untold) {
      const auto& next = channels[i].untold.front();
      const auto& known = op->memory.observed().children_of_kind(
          s->kind_at(next.as_seen.slot()));
      auto v = known.find(
          core::uid_key{uid_of_pod(next.as_seen.slot(), next.as_seen.number)});
      if (v == known.end() || next.gone || next.as_seen.version > v->version)
        break;
      deliver_pod(i);
    }
}

} // namespace troupe::exploration
