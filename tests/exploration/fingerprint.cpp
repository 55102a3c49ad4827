#include "tests/exploration/fingerprint.hpp"

#include "tests/exploration/state_reader.hpp"

#include <set>

namespace troupe::exploration {

namespace {

/// A new member is part of the state: encode it, then correct the number. (One
/// that takes the place of padding is not noticed.)
#if defined(__x86_64__) && defined(__GLIBCXX__) && !defined(_GLIBCXX_DEBUG)
static_assert(sizeof(core::child_view) == 320);
static_assert(sizeof(core::job_status) == 248);
static_assert(sizeof(core::recovery_status) == 296);
static_assert(sizeof(core::job_memory) == 624);
static_assert(sizeof(core::observed_children) == 304);
static_assert(sizeof(core::expectations) == 96);
static_assert(sizeof(actors::status_writer) == 160);
static_assert(sizeof(actors::order_course) == 56);
#endif

/// Fields of a status that have times; conditions have theirs by type.
enum field : std::size_t {
  of_start,
  of_completion,
  of_gang_wait,
  of_counted_restart,
  of_last_restart,
  of_recovery,
  of_condition,
};

std::size_t field_of(const std::string& condition) {
  using namespace core::condition_type;
  std::size_t n = of_condition;
  for (const auto* type :
       {created, running, restarting, succeeded, suspended, failed}) {
    if (condition == type)
      return n;
    ++n;
  }
  return n;
}

void encode_moment(encoder& e, std::size_t field,
                   const std::optional<k8s::time_point>& t) {
  e.byte(t ? 1 : 0);
  if (t)
    e.moment(field, *t);
}

void encode_due(encoder& e, const std::optional<k8s::time_point>& t) {
  e.byte(t ? 1 : 0);
  if (t)
    e.due(*t);
}

void encode_recovery(encoder& e, const core::recovery_status& r) {
  e.number(static_cast<std::uint64_t>(r.attempt));
  e.number(r.type_attempts.size());
  for (const auto& [type, attempt] : r.type_attempts) {
    e.text(type);
    e.number(static_cast<std::uint64_t>(attempt));
  }
  e.number(static_cast<std::uint64_t>(r.counted));
  e.number(r.counted_times.size());
  for (auto t : r.counted_times)
    e.moment(of_counted_restart, t);
  e.number(r.completed.size());
  for (const auto& [type, done] : r.completed) {
    e.text(type);
    e.text(done.text());
  }
  if (r.attempt == 0)
    return;
  e.moment(of_last_restart, r.last.time);
  for (const auto* text :
       {&r.last.reason, &r.last.pod, &r.last.node, &r.last.type})
    e.text(*text);
  e.number(static_cast<std::uint64_t>(r.last.early_ends));
  encode_moment(e, of_recovery, r.last.recovered);
}

void encode_status(encoder& e, const core::job_status& s) {
  e.number(s.conditions.size());
  for (const auto& c : s.conditions) {
    e.text(c.type);
    e.byte(c.status ? 1 : 0);
    e.text(c.reason);
    e.text(c.message);
    e.moment(field_of(c.type), c.updated);
    e.moment(field_of(c.type), c.last_transition_time);
  }
  e.number(s.replicas.size());
  for (const auto& [type, r] : s.replicas) {
    e.text(type);
    e.number(static_cast<std::uint64_t>(r.active));
    e.number(static_cast<std::uint64_t>(r.succeeded));
    e.number(static_cast<std::uint64_t>(r.failed));
    e.byte(r.selector.empty() ? 0 : 1);
  }
  encode_moment(e, of_start, s.start_time);
  encode_moment(e, of_completion, s.completion_time);
  encode_moment(e, of_gang_wait, s.gang_wait_since);
  e.number(s.restarts.size());
  for (const auto& r : s.restarts) {
    e.text(r.pod);
    state_reader::encode_uid(e, r.uid);
    e.number(static_cast<std::uint64_t>(r.count));
  }
  encode_recovery(e, *s.recovery);
}

void encode_pod(encoder& e, const pod& p) {
  e.pod(p.slot(), p.number);
  e.version(p.slot(), p.version);
  e.byte(static_cast<std::uint64_t>(p.phase) * 2 + (p.deleting ? 1 : 0));
  e.byte(static_cast<std::uint64_t>(p.body->attempt + 1));
}

void encode_job(encoder& e, const job_object& j) {
  e.job_version(j.version);
  e.byte(static_cast<std::uint64_t>(j.generation));
  encode_status(e, *j.status);
}

void encode_child(encoder& e, const core::child_view& v) {
  auto [slot, number] = pod_of_uid(v.uid.text());
  e.pod(slot, number);
  e.version(slot, v.version);
  e.version(slot, v.existed_at_version);
  e.number(v.list_number);
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
}

void encode_memory(encoder& e, const core::job_memory& m) {
  e.byte(m.job() ? static_cast<std::uint64_t>(m.job()->generation) : 0);
  state_reader::encode_observed(e, m.observed(), encode_child);
  state_reader::encode_expectations(e, m.expectations());
  state_reader::encode_rest(e, m);
}

void encode_body(encoder& e, const pod_body* body) {
  e.byte(body ? static_cast<std::uint64_t>(body->attempt + 2) : 0);
}

void encode_order(encoder& e, const order_under_way& o) {
  e.pod(o.slot, o.number);
  e.byte(static_cast<std::uint64_t>(o.call));
  encode_body(e, o.body);
  state_reader::encode_course(e, o.course);
  e.byte(o.answer ? static_cast<std::uint64_t>(o.answer->is) + 1 : 0);
  if (o.answer && o.answer->is == order_answer::what::pod)
    encode_pod(e, o.answer->shown);
}

void encode_status_call(encoder& e, const status_call& c) {
  e.job_version(c.version);
  encode_status(e, *c.status);
  e.byte(static_cast<std::uint64_t>(c.answer));
  e.job_version(c.stored_version);
}

void encode_process(encoder& e, const operator_process& p) {
  encode_memory(e, p.memory);
  encode_status(e, *p.status);
  e.job_version(p.version);
  state_reader::encode_writer(e, p.writer, encode_status);
  encode_due(e, p.requeue.at());
  e.byte(p.pass_queued ? 1 : 0);
  e.number(p.list_number);
  e.number(p.awaited.size());
  for (auto slot : p.awaited)
    e.byte(static_cast<std::uint64_t>(slot));
  e.number(p.orders.size());
  for (const auto& o : p.orders)
    encode_order(e, o);
  e.byte(p.writing ? 1 : 0);
  if (p.writing)
    encode_status_call(e, *p.writing);
  e.byte(p.reading ? p.reading->answer ? 2 : 1 : 0);
  if (p.reading && p.reading->answer)
    encode_job(e, *p.reading->answer);
}

void encode_cluster(encoder& e, const world& w) {
  encode_job(e, w.job);
  e.number(w.pods.size());
  for (const auto& p : w.pods)
    encode_pod(e, p);
  e.number(w.untold_jobs.size());
  for (const auto& j : w.untold_jobs)
    encode_job(e, j);
  e.number(w.channels.size());
  for (const auto& c : w.channels) {
    e.number(c.untold.size());
    for (const auto& fact : c.untold) {
      encode_pod(e, fact.as_seen);
      e.byte(fact.gone ? 1 : 0);
    }
  }
  e.byte(w.untold_list ? 1 : 0);
  if (!w.untold_list)
    return;
  e.list_version(w.untold_list->version);
  e.number(w.untold_list->pods.size());
  for (const auto& p : w.untold_list->pods)
    encode_pod(e, p);
}

void encode_rest(encoder& e, const world& w) {
  e.number(w.late.size());
  for (const auto& call : w.late) {
    e.pod(call.slot, call.number);
    e.byte(static_cast<std::uint64_t>(call.call));
    encode_body(e, call.body);
    e.byte(call.status ? 1 : 0);
    if (call.status)
      encode_status_call(e, *call.status);
  }
  const auto& l = w.left;
  for (int n : {l.successes, l.failures, l.removals, l.late_ends, l.suspensions,
                l.deaths, l.lost_answers, l.lists, l.repetitions})
    e.byte(static_cast<std::uint64_t>(n));
  e.number(w.past.failed.size());
  for (auto [slot, number] : w.past.failed)
    e.pod(slot, number);
  for (const auto* all :
       {&w.past.succeeded, &w.past.failures, &w.past.removals})
    for (auto n : *all)
      e.byte(n);
}

} // namespace

fingerprint fingerprint_of(const world& w, encoder& e) {
  e.reset(w.now);
  encode_cluster(e, w);
  encode_rest(e, w);
  e.byte(w.op ? 1 : 0);
  if (w.op)
    encode_process(e, *w.op);
  return e.finish();
}

} // namespace troupe::exploration
