#include "tests/exploration/fingerprint.hpp"

#include "frameworks/core/base/retry.hpp"
#include "frameworks/core/model/labels.hpp"
#include "frameworks/core/model/recovery_json.hpp"
#include "tests/exploration/invariants.hpp"
#include "tests/exploration/state_reader.hpp"

#include <nlohmann/json.hpp>

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
static_assert(sizeof(actors::status_writer) == 168);
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

/// Statuses that were written: most are equal, and then the number is enough.
class statuses {
public:
  statuses(encoder& e, const setting& s)
      : e_(e)
      , s_(s) {}
  void encode(const core::shared_status& s);
  /// What annotations say in place of a status.
  void encode_note(const std::map<std::string, std::string>& annotations);

private:
  void encode_new(const core::job_status& s);
  void encode_recovery(const core::recovery_status& r, std::size_t of);

  encoder& e_;
  const setting& s_;
  std::array<const core::job_status*, 64> known_{};
  std::size_t count_ = 0;
  std::size_t notes_ = 0;
};

void statuses::encode(const core::shared_status& s) {
  auto same = [&](const core::job_status* other) {
    return other == &*s
           || (*other == *s && same_progress(*other->recovery, *s->recovery));
  };
  auto end = known_.begin() + static_cast<std::ptrdiff_t>(count_);
  auto i = std::find_if(known_.begin(), end, same);
  e_.byte(static_cast<std::uint64_t>(i - known_.begin()));
  if (i != end)
    return;
  if (i == known_.end())
    throw std::runtime_error("a state with too many statuses");
  *i = &*s;
  ++count_;
  encode_new(*s);
}

void statuses::encode_note(
    const std::map<std::string, std::string>& annotations) {
  e_.number(annotations.size());
  for (const auto& [key, value] : annotations) {
    e_.text(key);
    if (key != core::label::recovery || value.empty()) {
      e_.naming_text(value);
      continue;
    }
    auto note = nlohmann::json::parse(value);
    e_.byte(note.contains("lastRestart") ? 1 : 0);
    encode_recovery(core::read_recovery_json(note), known_.size() + ++notes_);
  }
}

void statuses::encode_recovery(const core::recovery_status& r, std::size_t of) {
  e_.number(static_cast<std::uint64_t>(r.attempt));
  e_.number(r.type_attempts.size());
  for (const auto& [type, attempt] : r.type_attempts) {
    e_.text(type);
    e_.number(static_cast<std::uint64_t>(attempt));
  }
  e_.number(static_cast<std::uint64_t>(r.counted));
  e_.number(r.counted_times.size());
  for (auto t : r.counted_times)
    e_.moment(of_counted_restart, t);
  for (std::size_t i = 0; i < s_.slots().size(); ++i) {
    const auto& type = s_.job().find_replica_spec(s_.slots()[i].type)->type;
    if (!r.completed_of(type).contains(s_.slots()[i].index))
      continue;
    encoder::part part{e_, static_cast<int>(i), of_completed};
    e_.number(of);
  }
  if (r.attempt == 0)
    return;
  e_.moment(of_last_restart, r.last.time);
  // An attempt that ends soon after it has begun may delay the next one.
  e_.age(r.last.time, std::max(std::chrono::seconds{core::early_failure_limit},
                               core::replacement_delay_after_early_failures(
                                   r.last.early_ends)));
  e_.text(r.last.reason);
  e_.naming_text(r.last.pod);
  e_.text(r.last.node);
  e_.text(r.last.type);
  e_.number(static_cast<std::uint64_t>(r.last.early_ends));
  encode_moment(e_, of_recovery, r.last.recovered);
}

void statuses::encode_new(const core::job_status& s) {
  e_.number(s.conditions.size());
  for (const auto& c : s.conditions) {
    e_.text(c.type);
    e_.byte(c.status ? 1 : 0);
    e_.text(c.reason);
    e_.naming_text(c.message);
    e_.moment(field_of(c.type), c.updated);
    e_.moment(field_of(c.type), c.last_transition_time);
  }
  e_.number(s.replicas.size());
  for (const auto& [type, r] : s.replicas) {
    e_.text(type);
    e_.number(static_cast<std::uint64_t>(r.active));
    e_.number(static_cast<std::uint64_t>(r.succeeded));
    e_.number(static_cast<std::uint64_t>(r.failed));
    e_.byte(r.selector.empty() ? 0 : 1);
  }
  encode_moment(e_, of_start, s.start_time);
  encode_moment(e_, of_completion, s.completion_time);
  encode_moment(e_, of_gang_wait, s.gang_wait_since);
  e_.number(s.restarts.size());
  for (std::size_t i = 0; i < s.restarts.size(); ++i) {
    const auto& r = s.restarts[i];
    auto [slot, number] = pod_of_uid(r.uid);
    encoder::part part{e_, slot, of_restart};
    e_.number(count_);
    e_.number(i);
    e_.naming_text(r.pod);
    e_.number(static_cast<std::uint64_t>(r.count));
    if (slot >= 0)
      e_.pod(number);
  }
  encode_recovery(*s.recovery, count_);
}

void encode_pod(encoder& e, const pod& p, tag what) {
  encoder::part part{e, p.slot(), what};
  e.pod(p.number);
  e.version(p.version);
  e.byte(static_cast<std::uint64_t>(p.phase) * 2 + (p.deleting ? 1 : 0)
         + (p.came_late ? 0x80U : 0U));
  e.number(static_cast<std::uint64_t>(p.exit_code));
  e.byte(static_cast<std::uint64_t>(p.body->attempt + 1));
}

void encode_job(encoder& e, statuses& all, const job_object& j) {
  e.job_version(j.version);
  e.byte(static_cast<std::uint64_t>(j.generation));
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
}

/// A late answer to an order must not bring back a pod that is gone. Once it
/// is gone, none shows it but those that the server has given already.
bool may_be_shown_again(const operator_process& p,
                        const std::pair<int, int>& gone) {
  return std::any_of(p.orders.begin(), p.orders.end(), [&](const auto& o) {
    return o.answer && o.answer->is == order_answer::what::pod
           && std::make_pair(o.answer->shown.slot(), o.answer->shown.number)
                  == gone;
  });
}

void encode_memory(encoder& e, const world& w) {
  const auto& m = w.op->memory;
  e.byte(m.job() ? static_cast<std::uint64_t>(m.job()->generation) : 0);
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

void encode_order(encoder& e, const order_under_way& o) {
  encoder::part part{e, o.slot, of_order};
  e.byte(o.number == 0 ? 0 : 1);
  if (o.number > 0)
    e.pod(o.number);
  e.byte(static_cast<std::uint64_t>(o.call));
  encode_body(e, o.body);
  state_reader::encode_course(e, o.course);
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
    encode_order(e, o);
  e.byte(p.writing ? 1 : 0);
  if (p.writing)
    encode_status_call(e, all, *p.writing);
  e.byte(p.reading ? p.reading->answer ? 2 : 1 : 0);
  if (p.reading && p.reading->answer)
    encode_job(e, all, *p.reading->answer);
}

void encode_cluster(encoder& e, statuses& all, const world& w) {
  encode_job(e, all, w.job);
  for (const auto& p : w.pods)
    encode_pod(e, p, of_pod);
  e.number(w.untold_jobs.size());
  for (const auto& j : w.untold_jobs)
    encode_job(e, all, j);
  for (const auto& c : w.channels)
    for (const auto& fact : c.untold) {
      encode_pod(e, fact.as_seen, of_fact);
      encoder::part part{e, c.slot, fact.gone ? 1U : 0U};
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
    if (call.number > 0)
      e.pod(call.number);
  }
}

/// No invariant asks what became of an attempt that is over, or more than
/// whether a pod failed, or what is told of a failed pod that is told of
/// nowhere.
void encode_history(encoder& e, const world& w) {
  const auto& l = w.left;
  for (int n :
       {l.successes, l.failures, l.fatal_failures, l.removals, l.late_ends,
        l.suspensions, l.deaths, l.lost_answers, l.lists, l.repetitions})
    e.byte(static_cast<std::uint64_t>(n));
  e.number(w.past.failed.size());
  for (auto [slot, number] : w.past.failed)
    e.pod_if_written(slot, number, of_failure);
  e.byte((w.past.failed_fatally ? 1U : 0U) + (w.past.must_fail ? 2U : 0U));
  std::map<std::string, std::array<std::uint64_t, 4>> losses;
  for (unsigned slot = 0; slot < w.s->slots().size(); ++slot) {
    auto bit = 1U << slot;
    const auto& type = w.s->slots()[slot].type;
    auto& of_type = losses[w.s->restarts_types() ? type : ""];
    for (auto i = static_cast<std::size_t>(saved_attempt(w, type));
         i < of_type.size(); ++i) {
      of_type[i] |= ((w.past.failures[i] & bit) != 0 ? 1U : 0U)
                    | ((w.past.removals[i] & bit) != 0 ? 2U : 0U);
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
