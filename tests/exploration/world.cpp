#include "tests/exploration/world.hpp"

#include "tests/exploration/invariants.hpp"

#include <algorithm>

namespace troupe::exploration {

namespace {

template <class Items>
std::uint8_t size_of(const Items& items) {
  return static_cast<std::uint8_t>(items.size());
}

} // namespace

world::world(const setting& setting)
    : s(&setting)
    , numbers(setting.places().names.size(), 0)
    , left(setting.most) {
  job.version = version;
  job.spec = setting.first_spec();
}

// -- what can happen ----------------------------------------------------------

std::size_t world::lag() const {
  std::size_t sum = untold_jobs.size() + untold_workloads.size();
  for (const auto& c : channels)
    sum += c.untold.size();
  return sum;
}

std::vector<move> world::moves() const {
  std::vector<move> all;
  if (!violation.empty())
    return all;
  if (!op) {
    all.push_back({act::start_operator});
  } else {
    if (op->is_pass_queued())
      all.push_back({act::pass});
    if (op->timer() && may_wait_until(*op->timer()))
      all.push_back({act::timer});
    add_fact_moves(all);
    add_call_moves(all);
    if (left.deaths > 0)
      all.push_back({act::operator_dies});
  }
  for (std::uint8_t i = 0; i < size_of(late); ++i)
    if (has_effect_now(late[i]))
      all.push_back({act::execute_late, i});
  bool may_change = left.lag == 0 || lag() < static_cast<std::size_t>(left.lag);
  if (may_change) {
    add_pod_moves(all);
    add_node_moves(all);
    add_user_moves(all);
    if (s->is_queued())
      add_kueue_moves(all);
  }
  return all;
}

void world::add_fact_moves(std::vector<move>& to) const {
  if (!untold_jobs.empty())
    to.push_back({act::deliver_job});
  if (!untold_workloads.empty())
    to.push_back({act::deliver_workload});
  if (untold_list) {
    to.push_back({act::deliver_list});
    return;
  }
  for (std::uint8_t i = 0; i < size_of(channels); ++i) {
    to.push_back({act::deliver_pod, i});
    if (left.repetitions > 0)
      to.push_back({act::repeat_pod, i});
  }
  if (left.lists > 0)
    to.push_back({act::take_list});
}

void world::add_call_moves(std::vector<move>& to) const {
  for (std::uint8_t i = 0; i < size_of(op->orders); ++i) {
    const auto& o = op->orders[i];
    to.push_back({o.answer ? act::deliver_order : act::execute_order, i});
    if (left.lost_answers > 0 && !o.answer && !is_read(o.call)) {
      to.push_back({act::lose_order_before, i});
      to.push_back({act::lose_order_after, i});
    }
    if (left.refusals > 0 && !o.answer && is_refusable(o.call))
      to.push_back({act::refuse_order, i});
  }
  if (op->writing) {
    bool answered = op->writing->answer != status_call::outcome::none;
    to.push_back({answered ? act::deliver_status : act::execute_status});
    if (left.lost_answers > 0 && !answered) {
      to.push_back({act::lose_status_before});
      to.push_back({act::lose_status_after});
    }
  }
  if (op->reading)
    to.push_back({op->reading->answer ? act::deliver_read : act::execute_read});
}

void world::add_pod_moves(std::vector<move>& to) const {
  for (std::uint8_t i = 0; i < size_of(pods); ++i) {
    const auto& p = pods[i];
    if (has_silent_node(p))
      continue; // See add_node_moves().
    if (p.deleting) {
      to.push_back({act::pod_goes, i});
      if (left.late_ends > 0 && p.phase == k8s::pod_phase::running) {
        to.push_back({act::ending_pod_succeeds, i});
        to.push_back({act::ending_pod_fails, i});
      }
      continue;
    }
    if (p.phase == k8s::pod_phase::pending)
      to.push_back({act::pod_runs, i});
    if (p.phase == k8s::pod_phase::running) {
      if (left.successes > 0)
        to.push_back({act::pod_succeeds, i});
      if (left.failures > 0)
        to.push_back({act::pod_fails, i});
      if (left.fatal_failures > 0)
        to.push_back({act::pod_fails_fatally, i});
    }
    if (left.removals > 0)
      to.push_back({act::remove_pod, i});
  }
}

bool world::may_be_disturbed() const {
  bool is_at_rest = op && !op->is_pass_queued() && op->orders.empty()
                    && !op->writing && !op->reading && lag() == 0;
  return s->most.calm == 0 || is_at_rest;
}

void world::add_user_moves(std::vector<move>& to) const {
  if (!may_be_disturbed())
    return;
  if (left.removals > 0)
    for (std::uint8_t i = 0; i < size_of(services); ++i)
      to.push_back({act::remove_service, i});
  if (job.suspended() && (!s->is_queued() || left.suspensions > 0))
    to.push_back({act::resume});
  else if (left.suspensions > 0)
    to.push_back({act::suspend});
}

// -- what happens -------------------------------------------------------------

void world::make(move m) {
  take_move(m);
  settle(m);
}

void world::take_move(move m) {
  auto i = static_cast<std::size_t>(m.which);
  switch (m.what) {
  case act::start_operator:
    return start_operator();
  case act::pass:
    return run_pass(false);
  case act::timer:
    return run_pass(true);
  case act::deliver_pod:
    return deliver_pod(i);
  case act::deliver_job:
    op->on_job_seen(*s, untold_jobs.front());
    untold_jobs.pop_front();
    return;
  case act::deliver_workload:
    return deliver_workload();
  case act::deliver_list:
    return deliver_list();
  case act::pod_runs:
    return change_pod(i, k8s::pod_phase::running);
  case act::pod_goes:
    return remove_pod(i);
  case act::pod_succeeds:
    --left.successes;
    return end_pod(i, 0);
  case act::pod_fails:
    --left.failures;
    return end_pod(i, usual_exit_code);
  case act::pod_fails_fatally:
    --left.fatal_failures;
    return end_pod(i, fatal_exit_code);
  case act::ending_pod_succeeds:
  case act::ending_pod_fails:
    --left.late_ends;
    return end_pod(i, m.what == act::ending_pod_succeeds ? 0 : usual_exit_code);
  case act::remove_pod:
    --left.removals;
    note_removal(*this, pods[i]);
    return begin_deletion(i);
  case act::remove_service:
    --left.removals;
    return remove_service(i);
  case act::suspend:
    --left.suspensions;
    return change_spec();
  case act::resume:
    left.suspensions -= s->is_queued() ? 1 : 0;
    return change_spec();
  case act::operator_dies:
    --left.deaths;
    return kill_operator();
  case act::take_list:
    --left.lists;
    channels.erase(std::remove_if(channels.begin(), channels.end(),
                                  [&](const channel& c) {
                                    return !s->is_service(c.slot);
                                  }),
                   channels.end());
    untold_list = list{version, pods};
    return;
  case act::repeat_pod: {
    --left.repetitions;
    auto& untold = channels[i].untold;
    auto again = untold;
    untold.insert(untold.end(), again.begin(), again.end());
    return;
  }
  default:
    return make_call_move(m);
  }
}

void world::make_call_move(move m) {
  auto i = static_cast<std::size_t>(m.which);
  auto execute_order = [&] {
    const auto& o = op->orders[i];
    return is_of_queue(o.call)
                   || s->kind_at(o.slot) == core::child_kind::workload
               ? execute_queue_call(o.number, o.call, o.text)
               : execute(o.slot, o.number, o.call, o.body);
  };
  auto lose = [&](order_under_way& o) {
    o.answer = order_answer{order_answer::what::timeout, {}};
    --left.lost_answers;
  };
  switch (m.what) {
  case act::deliver_order:
    return op->on_order_answer(*s, i, now);
  case act::execute_order: {
    auto answer = execute_order();
    op->orders[i].answer = answer;
    // Nobody sees whether a read that leads to another call was answered.
    if (is_of_queue(op->orders[i].call) && is_read(op->orders[i].call)
        && op->goes_on(*s, i))
      op->on_order_answer(*s, i, now);
    return;
  }
  case act::lose_order_after:
    execute_order();
    return lose(op->orders[i]);
  case act::lose_order_before:
    return lose(op->orders[i]);
  case act::refuse_order:
    --left.refusals;
    op->orders[i].answer = order_answer{order_answer::what::refused, {}};
    return;
  case act::deliver_status:
    return op->on_status_answer(*s, now);
  case act::execute_status: {
    bool stored = store_status(*op->writing);
    op->writing->answer =
        stored ? status_call::outcome::stored : status_call::outcome::conflict;
    if (stored)
      op->writing->stored = job;
    return;
  }
  case act::lose_status_after:
    store_status(*op->writing);
    [[fallthrough]];
  case act::lose_status_before:
    op->writing->answer = status_call::outcome::timeout;
    --left.lost_answers;
    return;
  case act::execute_read:
    op->reading->answer = job;
    return;
  case act::deliver_read:
    return op->on_job_read(*s);
  case act::execute_late: {
    auto call = late[i];
    late.erase(late.begin() + static_cast<std::ptrdiff_t>(i));
    if (call.status)
      store_status(*call.status);
    else if (is_of_queue(call.call))
      execute_queue_call(call.number, call.call, call.text, /*late=*/true);
    else
      execute(call.slot, call.number, call.call, call.body, /*late=*/true);
    return;
  }
  default:
    return s->is_queued() ? make_kueue_move(m) : make_node_move(m);
  }
}

// -- the operator -------------------------------------------------------------

/// Its watchers' lists are complete: it begins with the job and all pods.
void world::start_operator() {
  op.emplace();
  op->on_job_seen(*s, job);
  for (const auto* all : {&pods, &services})
    for (const auto& p : *all)
      op->on_pod_seen(*s, p, op->list_number);
  if (work.body)
    op->on_workload_seen(*s, work);
}

void world::kill_operator() {
  for (const auto& o : op->orders)
    if (!o.answer && !is_read(o.call))
      late.push_back({o.slot, o.number, o.call, o.body, {}, o.text});
  if (op->writing && op->writing->answer == status_call::outcome::none)
    late.push_back({-1, 0, order_call_kind::look, nullptr, *op->writing, {}});
  op.reset();
  channels.clear();
  untold_jobs.clear();
  untold_workloads.clear();
  untold_list.reset();
}

void world::run_pass(bool by_timer) {
  if (by_timer) {
    now = std::max(now, *op->timer());
    op->on_timer(*s, now);
  } else {
    op->pass(*s, now);
  }
  check_decisions(*this);
  op->decided.clear();
}

void world::deliver_pod(std::size_t index) {
  auto& c = channels[index];
  auto fact = c.untold.front();
  c.untold.pop_front();
  if (c.untold.empty())
    channels.erase(channels.begin() + static_cast<std::ptrdiff_t>(index));
  if (fact.gone)
    op->on_pod_deleted(*s, fact.as_seen);
  else
    op->on_pod_seen(*s, fact.as_seen, op->list_number);
}

void world::deliver_list() {
  auto what = std::move(*untold_list);
  untold_list.reset();
  ++op->list_number;
  for (const auto& p : what.pods)
    op->on_pod_seen(*s, p, op->list_number);
  op->on_list_complete(op->list_number, what.version);
}

} // namespace troupe::exploration
