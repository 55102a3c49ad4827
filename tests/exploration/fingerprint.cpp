#include "tests/exploration/fingerprint.hpp"

#include "tests/exploration/invariants.hpp"
#include "tests/exploration/queue/workload_encoder.hpp"
#include "tests/exploration/state_reader.hpp"
#include "tests/exploration/status_encoder.hpp"

#include <algorithm>
#include <stdexcept>

namespace troupe::exploration {

namespace {

/// A new member is part of the state: encode it, then correct the number. (One
/// that takes the place of padding is not noticed.)
#if defined(__x86_64__) && defined(__GLIBCXX__) && !defined(_GLIBCXX_DEBUG)
static_assert(sizeof(core::child_view) == 320);
static_assert(sizeof(core::job_status) == 256);
static_assert(sizeof(core::recovery_status) == 296);
static_assert(sizeof(core::job_memory) == 664);
static_assert(sizeof(core::observed_children) == 344);
static_assert(sizeof(core::expectations) == 96);
static_assert(sizeof(actors::status_writer) == 176);
static_assert(sizeof(actors::order_course) == 72);
#endif

/// Of lost nodes. What is longer ago than their period, and a read after it,
/// decides nothing.
void encode_time(encoder& e, k8s::time_point t) {
  e.byte(t == k8s::time_point{} ? 0 : 1);
  if (t == k8s::time_point{})
    return;
  e.due(t);
  e.age(t, 3 * lost_node_period);
}

void encode_pod(encoder& e, const pod& p, tag what) {
  encoder::part part{e, p.slot(), what};
  e.pod(p.number);
  e.version(p.version);
  e.byte(static_cast<std::uint64_t>(p.phase) * 2 + (p.deleting ? 1 : 0)
         + (p.came_late ? 0x80U : 0U));
  e.number(static_cast<std::uint64_t>(p.exit_code));
  e.byte(static_cast<std::uint64_t>(p.body->attempt + 1));
  if (!p.spare && !p.evicted && p.leaves_by == k8s::time_point{}
      && p.silent_since == k8s::time_point{})
    return;
  e.byte((p.spare ? 1U : 0U) + (p.evicted ? 2U : 0U));
  encode_time(e, p.silent_since);
  encode_time(e, p.leaves_by);
}

void encode_job(encoder& e, statuses& all, const job_object& j) {
  e.job_version(j.version);
  e.byte(static_cast<std::uint64_t>(j.generation));
  if (j.spec)
    e.number(static_cast<std::uint64_t>(j.spec->number));
  all.encode(j.status);
  all.encode(j.stored);
  all.encode_note(j.annotations);
}

/// Whether a list may show what was told before: else nothing compares when a
/// child was there.
bool may_be_listed(const world& w) {
  return w.left.lists > 0 || w.untold_list;
}

void encode_child(encoder& e, const world& w, const core::child_view& v,
                  tag what) {
  auto [slot, number] = pod_of_uid(v.uid.text());
  encoder::part part{e, slot, what};
  e.pod(number);
  e.version(v.version);
  if (may_be_listed(w)) {
    e.version(v.existed_at_version);
    e.number(v.list_number);
  }
  std::uint64_t flags = 0;
  for (bool flag :
       {v.owned, v.labels_match_job, v.terminating, v.delete_in_flight,
        v.delete_requested, v.confirmed, v.unselected, v.scheduled, v.ready,
        v.evicted, v.disrupted, v.failed_early, v.refused, v.gave_up_waiting,
        v.removed_at_once, v.failed_before_deletion, v.says_attempt})
    flags = flags * 2 + (flag ? 1 : 0);
  e.number(flags);
  e.byte(static_cast<std::uint64_t>(v.phase));
  e.number(static_cast<std::uint64_t>(v.restarts));
  e.number(static_cast<std::uint64_t>(v.exit_code.value_or(-1) + 1));
  e.number(static_cast<std::uint64_t>(v.early_failures));
  e.number(static_cast<std::uint64_t>(v.attempt));
  e.number(v.scheduling_group);
  if (v.content->workload->asked.size() > 0)
    encode_workload_state(e, *v.content->workload);
  if (w.s->most.lost_nodes == 0 || !v.trouble)
    return;
  e.byte(v.trouble->node == name_of_node(v.name, /*spare=*/true) ? 1 : 0);
  encode_time(e, v.trouble->node_silent_since);
  encode_time(e, v.leaves_by);
}

/// No read of one fails where they are lost.
void encode_nodes(encoder& e, const world& w) {
  const auto& nodes = w.op->memory.observed().nodes();
  if (nodes.is_empty())
    return;
  for (std::size_t slot = 0; slot < w.s->slots().size(); ++slot)
    for (bool spare : {false, true})
      if (const auto* node =
              nodes.find(name_of_node(w.s->places().names[slot], spare))) {
        encoder::part part{e, static_cast<int>(slot), of_node};
        e.byte((spare ? 1U : 0U) + (node->in_flight ? 2U : 0U)
               + (node->why_lost.empty() ? 0U : 4U));
        encode_time(e, node->asked_at);
        encode_time(e, node->read_at);
      }
}

/// A late answer to an order must not bring back a pod that is gone. Once it
/// is gone, none shows it but those that the server has given already.
bool may_be_shown_again(const operator_process& p,
                        const std::pair<int, int>& gone) {
  return std::any_of(p.orders.begin(), p.orders.end(), [&](const auto& o) {
    if (o.answer && o.answer->is == order_answer::what::workload)
      return std::make_pair(o.slot, o.answer->seen.number) == gone;
    return o.answer && o.answer->is == order_answer::what::pod
           && std::make_pair(o.answer->shown.slot(), o.answer->shown.number)
                  == gone;
  });
}

void encode_decoded_job(encoder& e, const world& w, const core::job_ptr& j) {
  if (w.s->is_queued())
    e.number(j ? static_cast<std::uint64_t>(w.s->number_of_job(j)) : 0);
  else
    e.byte(j ? static_cast<std::uint64_t>(j->generation) : 0);
}

void encode_memory(encoder& e, const world& w) {
  const auto& m = w.op->memory;
  encode_nodes(e, w);
  encode_decoded_job(e, w, m.job());
  state_reader::encode_observed(
      e, m.observed(), [&](const core::child_view& v, int list) {
        encode_child(e, w, v, static_cast<tag>(of_child + list));
      });
  state_reader::encode_expectations(e, *w.s, m.expectations());
  state_reader::encode_rest(e, *w.s, m, [&](const auto& gone) {
    return may_be_shown_again(*w.op, gone);
  });
}

void encode_body(encoder& e, const pod_body* body) {
  e.byte(body ? static_cast<std::uint64_t>(body->attempt + 2) : 0);
}

/// The status of a job decides nothing in the course of a queue's order.
void encode_queue_answer(encoder& e, statuses& all, const setting& s,
                         const order_answer& a, bool is_result) {
  e.byte(static_cast<std::uint64_t>(a.is));
  if (a.is == order_answer::what::workload)
    encode_workload(e, s, a.seen, of_order);
  if (a.is != order_answer::what::job)
    return;
  if (is_result)
    return encode_job(e, all, *a.of_job);
  e.job_version(a.of_job->version);
  e.byte(static_cast<std::uint64_t>(a.of_job->generation));
  e.number(static_cast<std::uint64_t>(a.of_job->spec->number));
}

void encode_queue_order(encoder& e, statuses& all, const setting& s,
                        const order_under_way& o) {
  const auto* d = std::get_if<core::queue_order>(&*o.course.order().decision);
  e.byte(d ? 1 + static_cast<std::uint64_t>(d->what) : 0);
  e.number(static_cast<std::uint64_t>(
      s.number_of_job(state_reader::job_of(o.course))));
  if (d) {
    {
      encoder::part part{e, s.workload_place(), of_order};
      e.version(d->version);
    }
    e.byte(d->pods.ready ? 1 : 0);
    e.text(d->pods.ready_reason);
    e.text(d->reason);
    for (const auto& one : d->pods.returned)
      e.number(static_cast<std::uint64_t>(one.count));
  }
  encode_queue_text(e, s, o.text);
  e.number(o.reads.size());
  for (const auto& read : o.reads)
    encode_queue_answer(e, all, s, read, false);
  if (o.answer)
    encode_queue_answer(e, all, s, *o.answer, true);
}

void encode_order(encoder& e, statuses& all, const setting& s,
                  const order_under_way& o) {
  encoder::part part{e, o.slot, of_order};
  e.byte(o.number == 0 ? 0 : o.number < 0 ? 2 : 1);
  if (o.number > 0)
    e.pod(o.number);
  e.byte(static_cast<std::uint64_t>(o.call));
  encode_body(e, o.body);
  state_reader::encode_course(e, o.course);
  if (s.is_queued()) {
    // What is about the job has a part of its own.
    encoder::part of_job{e, -1, of_order};
    encode_queue_order(e, all, s, o);
  } else {
    e.byte(
        static_cast<std::uint64_t>(state_reader::job_of(o.course)->generation));
  }
  e.byte(o.answer ? 1 + static_cast<std::uint64_t>(o.answer->is) : 0);
  if (o.answer && o.answer->is == order_answer::what::pod)
    encode_pod(e, o.answer->shown, of_order);
}

void encode_status_call(encoder& e, statuses& all, const status_call& c) {
  e.job_version(c.version);
  all.encode(c.status);
  e.byte(c.annotations ? 1 : 0);
  if (c.annotations)
    all.encode_note(*c.annotations);
  e.byte(static_cast<std::uint64_t>(c.answer));
  if (c.answer == status_call::outcome::stored)
    encode_job(e, all, c.stored);
}

void encode_process(encoder& e, statuses& all, const world& w) {
  const auto& p = *w.op;
  encode_memory(e, w);
  all.encode(p.status);
  e.job_version(p.version);
  state_reader::encode_writer(
      e, p.writer, [&](const core::shared_status& s) { all.encode(s); });
  encode_due(e, p.requeue.at());
  e.byte(p.pass_queued ? 1 : 0);
  if (may_be_listed(w))
    e.number(p.list_number);
  for (auto slot : p.awaited)
    encoder::part{e, slot, of_awaited};
  for (const auto& o : p.orders)
    encode_order(e, all, *w.s, o);
  e.byte(p.writing ? 1 : 0);
  if (p.writing)
    encode_status_call(e, all, *p.writing);
  e.byte(p.reading ? p.reading->answer ? 2 : 1 : 0);
  if (p.reading && p.reading->answer)
    encode_job(e, all, *p.reading->answer);
}

void encode_cluster(encoder& e, statuses& all, const world& w) {
  encode_job(e, all, w.job);
  for (const auto* objects : {&w.pods, &w.services})
    for (const auto& p : *objects)
      encode_pod(e, p, of_pod);
  e.number(w.untold_jobs.size());
  for (const auto& j : w.untold_jobs)
    encode_job(e, all, j);
  for (const auto& c : w.channels)
    for (const auto& fact : c.untold) {
      encode_pod(e, fact.as_seen, of_fact);
      encoder::part part{e, c.slot, fact.gone ? 1U : 0U};
    }
  if (w.s->is_queued()) {
    encode_workload(e, *w.s, w.work, of_workload);
    for (const auto& fact : w.untold_workloads) {
      encode_workload(e, *w.s, fact.as_seen, of_fact);
      e.byte(fact.gone ? 1 : 0);
    }
    e.byte(0xFF);
  }
  e.byte(w.untold_list ? 1 : 0);
  if (!w.untold_list)
    return;
  e.list_version(w.untold_list->version);
  for (const auto& p : w.untold_list->pods)
    encode_pod(e, p, of_list);
}

void encode_late_calls(encoder& e, statuses& all, const world& w) {
  for (const auto& call : w.late) {
    encoder::part part{e, call.slot, of_late_call};
    if (call.status) {
      encode_status_call(e, all, *call.status);
      continue;
    }
    e.byte(static_cast<std::uint64_t>(call.call));
    encode_body(e, call.body);
    if (is_of_queue(call.call))
      encode_queue_text(e, *w.s, call.text);
    if (call.number > 0)
      e.pod(call.number);
  }
}

/// No invariant asks what became of an attempt that is over, or more than
/// whether a pod failed, or what is told of a failed pod that is told of
/// nowhere.
void encode_history(encoder& e, const world& w) {
  const auto& l = w.left;
  for (int n : {l.successes, l.failures, l.fatal_failures, l.removals,
                l.late_ends, l.suspensions, l.deaths, l.lost_answers, l.lists,
                l.repetitions, l.lost_nodes, l.preemptions, l.time_outs,
                l.deactivations, l.checks, l.refusals, l.workload_removals})
    e.byte(static_cast<std::uint64_t>(n));
  e.number(w.past.failed.size());
  for (auto [slot, number] : w.past.failed)
    e.pod_if_written(slot, number, of_failure);
  e.byte((w.past.failed_fatally ? 1U : 0U) + (w.past.must_fail ? 2U : 0U));
  for (unsigned slot = 0; slot < w.s->slots().size(); ++slot)
    if ((w.past.silent >> slot & 1U) != 0) {
      encoder::part part{e, static_cast<int>(slot), of_silence};
      e.byte(w.silent >> slot & 1U);
    }
  std::map<std::string, std::array<std::uint64_t, 4>> losses;
  for (unsigned slot = 0; slot < w.s->slots().size(); ++slot) {
    auto bit = 1U << slot;
    const auto& type = w.s->slots()[slot].type;
    auto& of_type = losses[w.s->restarts_types() ? type : ""];
    for (auto i = static_cast<std::size_t>(saved_attempt(w, type));
         i < of_type.size(); ++i) {
      of_type[i] |= ((w.past.failures[i] & bit) != 0 ? 1U : 0U)
                    | ((w.past.removals[i] & bit) != 0 ? 2U : 0U);
      if ((w.past.made[i] & bit) != 0) {
        encoder::part part{e, static_cast<int>(slot), of_making};
        e.number(i);
      }
      if ((w.past.succeeded[i] & bit) != 0) {
        encoder::part part{e, static_cast<int>(slot), of_success};
        e.number(i);
      }
    }
  }
  for (const auto& [type, by_attempt] : losses)
    for (auto n : by_attempt)
      e.byte(n);
}

} // namespace

fingerprint fingerprint_of(const world& w, encoder& e) {
  return fingerprint_of(w, e, w.s->places());
}

fingerprint fingerprint_of(const world& w, encoder& e,
                           const pod_places& places) {
  e.reset(places, w.now);
  statuses all{e, *w.s};
  encode_cluster(e, all, w);
  encode_late_calls(e, all, w);
  e.byte(w.op ? 1 : 0);
  if (w.op)
    encode_process(e, all, w);
  encode_history(e, w);
  return e.finish();
}

} // namespace troupe::exploration
