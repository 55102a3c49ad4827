#include "tests/exploration/operator_process.hpp"

#include "tests/exploration/queue/queue_calls.hpp"
#include "tests/exploration/state_reader.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace troupe::exploration {

namespace {

core::child_claims claims_of_pod(const setting& s, const k8s::object& o) {
  return core::claims_on_kind(o.meta, s.row());
}

std::pair<int, int> subject_of(const setting& s, const core::decision& d) {
  if (const auto* c = std::get_if<core::create_child>(&d))
    return {s.number_of_place(c->kind, c->at), 0};
  if (const auto* r = std::get_if<core::delete_child>(&d))
    return pod_of_uid(r->uid);
  if (const auto* order = std::get_if<core::queue_order>(&d))
    return {s.workload_place(),
            order->uid.empty() ? 0 : pod_of_uid(order->uid).second};
  if (std::holds_alternative<core::read_auxiliary>(d))
    return {s.workload_place(), 0};
  if (const auto* read = std::get_if<core::read_node>(&d)) {
    const auto& names = s.places().names;
    for (std::size_t i = 0; i < names.size(); ++i)
      for (bool spare : {false, true})
        if (read->name == name_of_node(names[i], spare))
          return {static_cast<int>(i), spare ? -2 : -1};
  }
  throw std::runtime_error("no decision of this world: "
                           + core::describe_decision(d));
}

/// The text between `before` and `after`, which ends it.
std::string between(const std::string& all, const std::string& before,
                    const std::string& after) {
  auto begin = all.find(before);
  if (begin == std::string::npos)
    throw std::runtime_error("not there: " + before + " in " + all);
  begin += before.size();
  return all.substr(begin, all.find(after, begin) - begin);
}

core::shared_status decode_status(const setting& s, const std::string& text) {
  static std::unordered_map<std::string, core::shared_status> known;
  auto i = known.find(text);
  if (i == known.end())
    i = known.emplace(text, s.row().own.status.decode(text)).first;
  return i->second;
}

std::string text_of_job(const setting& s, const job_object& j) {
  return R"({"metadata":{"name":"job","namespace":"ns","uid":")" + s.job().uid
         + R"(","resourceVersion":")" + std::to_string(j.version)
         + R"(","annotations":)" + nlohmann::json(j.annotations).dump()
         + R"(},"spec":{},"status":)" + s.row().own.status.encode(*j.stored)
         + "}";
}

/// Reads the patch of a status.
status_call read_status_write(const setting& s, const k8s::request& r) {
  status_call call;
  if (r.body.front() == '{') {
    const auto meta = nlohmann::json::parse(r.body).at("metadata");
    if (meta.contains("resourceVersion"))
      call.version = std::stoull(meta["resourceVersion"].get<std::string>());
    call.annotations.emplace();
    for (const auto& [key, value] : meta.at("annotations").items())
      (*call.annotations)[key] = value.is_null() ? "" : value;
    return call;
  }
  call.version = std::stoull(
      between(r.body, R"("/metadata/resourceVersion","value":")", "\""));
  auto status = between(r.body, R"("/status","value":)", "\n");
  status.resize(status.size() - 2); // "}]"
  call.status = decode_status(s, status);
  return call;
}

order_call_kind kind_of_call(const actors::order_course& course,
                             const k8s::request& r) {
  const auto& d = *course.order().decision;
  if (std::holds_alternative<core::queue_order>(d))
    return kind_of_queue_call(r);
  if (r.method == k8s::verb::remove)
    return std::get<core::delete_child>(d).at_once
               ? order_call_kind::remove_at_once
               : order_call_kind::remove;
  return std::holds_alternative<core::read_node>(d) ? order_call_kind::read_node
                                                    : order_call_kind::look;
}

k8s::failure timeout_failure() {
  return {k8s::ec::timeout, "no answer in time"};
}

k8s::result<std::string> text_of_answer(const setting& s,
                                        const order_under_way& o) {
  const auto& a = *o.answer;
  bool listed = o.call == order_call_kind::look
                || o.call == order_call_kind::read_workload;
  switch (a.is) {
  case order_answer::what::pod:
    return listed ? R"({"metadata":{"resourceVersion":"1"},"items":[)"
                        + text_of(s, a.shown) + "]}"
                  : text_of(s, a.shown);
  case order_answer::what::nothing:
    return listed ? std::
                   string{R"({"metadata":{"resourceVersion":"1"},"items":[]})"}
                  : std::string{R"({"kind":"Status","status":"Success"})"};
  case order_answer::what::exists:
    return k8s::failure{k8s::ec::exists, "pods already exists"};
  case order_answer::what::not_found:
    return k8s::failure{k8s::ec::not_found, "pods not found"};
  case order_answer::what::conflict:
    return k8s::failure{k8s::ec::conflict, "the UID differs"};
  case order_answer::what::node:
  case order_answer::what::silent_node:
    return R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n","uid":"n",)"
           R"("resourceVersion":"1"},"status":{"conditions":[{"type":"Ready",)"
           R"("status":")"
           + std::string{a.is == order_answer::what::node ? "True" : "Unknown"}
           + "\"}]}}";
  case order_answer::what::refused:
    return k8s::failure{k8s::ec::server_error, "failed calling webhook"};
  case order_answer::what::workload:
  case order_answer::what::job:
  case order_answer::what::flavor:
    return text_of_queue_answer(s, o);
  case order_answer::what::timeout:
    break;
  }
  return timeout_failure();
}

} // namespace

// -- facts --------------------------------------------------------------------

void operator_process::on_job_seen(const setting& s, const job_object& fact) {
  if (fact.version > version)
    apply_job(s, fact);
}

void operator_process::apply_job(const setting& s, const job_object& seen) {
  version = std::max(version, seen.version);
  bool first = !memory.job();
  auto change = writer.record_server_status(*seen.status);
  if (first || change.foreign)
    status = writer.saved_status();
  if (const auto& job = s.job_of(seen); memory.job() != job)
    memory.set_job_and_forget_obsolete_failures(job);
  enqueue_pass();
}

void operator_process::apply(const core::memory_change& change) {
  if (change.must_reconcile)
    enqueue_pass();
}

void operator_process::on_pod_seen(const setting& s, const pod& fact,
                                   std::uint64_t list) {
  auto o = object_of(s, fact);
  apply(memory.record_child_seen(s.kind_at(fact.slot()), *o,
                                 claims_of_pod(s, *o), list,
                                 *writer.saved_status()));
}

void operator_process::on_pod_deleted(const setting& s, const pod& fact) {
  auto kind = s.kind_at(fact.slot());
  apply(
      memory.record_child_deleted(kind, uid_of_pod(fact.slot(), fact.number)));
  if (awaited.erase(fact.slot()) > 0)
    apply(memory.record_name_freed(kind, object_of(s, fact)->meta.name));
}

void operator_process::on_workload_seen(const setting& s,
                                        const workload& fact) {
  auto o = object_of(s, fact);
  apply(memory.record_child_seen(core::child_kind::workload, *o,
                                 core::claims_on_kind(o->meta, s.row()), 1,
                                 *writer.saved_status()));
}

void operator_process::on_workload_deleted(const setting& s,
                                           const workload& fact) {
  apply(memory.record_child_deleted(
      core::child_kind::workload, uid_of_pod(s.workload_place(), fact.number)));
}

void operator_process::on_list_complete(std::uint64_t list,
                                        std::uint64_t at_version) {
  apply(memory.record_list_complete(core::child_kind::pod, list, at_version));
}

// -- answers ------------------------------------------------------------------

void operator_process::on_order_answer(const setting& s, std::size_t order,
                                       k8s::time_point now) {
  auto o = std::move(orders[order]);
  orders.erase(orders.begin() + static_cast<std::ptrdiff_t>(order));
  auto answer = text_of_answer(s, o);
  if (is_of_queue(o.call))
    o.reads.push_back(*o.answer);
  o.answer.reset();
  auto next = o.course.on_answer(answer, s.options());
  send(s, std::move(o), next, now);
}

bool operator_process::goes_on(const setting& s, std::size_t order) const {
  auto trial = orders[order].course;
  return std::holds_alternative<actors::order_call>(
      trial.on_answer(text_of_answer(s, orders[order]), s.options()));
}

void operator_process::send(const setting& s, order_under_way order,
                            const actors::order_course::step& next,
                            k8s::time_point now) {
  if (const auto* done = std::get_if<core::order_done>(&next)) {
    apply(memory.apply_order_result(*done, *writer.saved_status(),
                                    s.options()->cluster));
    return apply_written_job_if_any(s, *done, order);
  }
  if (const auto* failed = std::get_if<core::order_failed>(&next)) {
    apply(memory.apply_order_result(*failed, *writer.saved_status(), now, 0));
    return;
  }
  const auto& call = std::get<actors::order_call>(next);
  if (call.name_is_taken)
    awaited.insert(order.slot);
  if (call.make) {
    auto request = call.make();
    if (!request)
      throw std::runtime_error(request.error().message);
    order.call = order_call_kind::create;
    order.body = read_pod_body(s, request->body);
  } else {
    order.call = kind_of_call(order.course, *call.request);
    order.text = read_queue_text(s, order.call, call.request->body);
  }
  order.reads.resize(state_reader::reads_of(order.course));
  auto place = std::find_if(orders.begin(), orders.end(), [&](const auto& o) {
    return std::tie(order.slot, order.number) < std::tie(o.slot, o.number);
  });
  orders.insert(place, std::move(order));
}

/// If that is newer than what the watch has shown.
void operator_process::apply_written_job_if_any(const setting& s,
                                                const core::order_done& done,
                                                const order_under_way& order) {
  bool is_of_job =
      std::holds_alternative<core::queue_order>(*done.order.decision)
      && done.item
      && std::holds_alternative<k8s::spec_and_status_state>(done.item->state);
  if (is_of_job && done.item->meta.resource_version > version)
    apply_job(s, *order.reads.back().of_job);
}

void operator_process::on_status_answer(const setting& s, k8s::time_point now) {
  auto call = std::move(*writing);
  writing.reset();
  k8s::result<std::string> answer = timeout_failure();
  if (call.answer == status_call::outcome::conflict)
    answer = k8s::failure{k8s::ec::conflict, "the job was modified"};
  if (call.answer == status_call::outcome::stored)
    answer = text_of_job(s, call.stored);
  auto done =
      writer.on_write_ended(answer, *status, *s.reference(), now, /*jitter=*/0);
  version = std::max(version, done.version);
  if (done.foreign_status)
    status = writer.saved_status();
  if (done.must_read_job)
    reading = read_call{};
  else
    enqueue_pass();
}

void operator_process::on_job_read(const setting& s) {
  auto seen = std::move(*reading->answer);
  reading.reset();
  if (seen.version >= version)
    apply_job(s, seen);
}

// -- passes -------------------------------------------------------------------

void operator_process::pass(const setting& s, k8s::time_point now) {
  pass_queued = false;
  memory.forget_recorded_restarts(*writer.saved_status());
  auto result =
      s.plan(*memory.job(), memory.observed(), memory.expectations(), *status,
             *writer.saved_status(), now, s.options()->cluster);
  if (status != result.status)
    status = std::move(result.status);
  memory.record_silence(result.silence);
  writer.queue_events_until_status_saved(std::move(result.events));
  for (const auto& d : result.decisions) {
    auto order = memory.record_issued_order(d, *status, now);
    auto [slot, number] = subject_of(s, d);
    order_under_way o{actors::order_course{std::move(order), memory.job()},
                      slot,
                      number,
                      {},
                      nullptr,
                      {},
                      {},
                      {}};
    auto first = o.course.begin(s.options());
    send(s, std::move(o), first, now);
  }
  decided = std::move(result.decisions);
  auto next = result.requeue_at;
  actors::status_step step;
  if (!result.status_awaits_creations)
    step = writer.begin_write_if_due(status, s.reference(), version, now,
                                     s.options()->status_interval);
  if (step.write)
    writing = read_status_write(s, *step.write->make_request());
  if (step.next_at && (!next || *step.next_at < *next))
    next = step.next_at;
  // Kubelets do not wait until a pod is overdue.
  if (next && !(s.is_queued() && *next - now > std::chrono::hours{1}))
    requeue.set_unless_earlier(*next, now);
}

bool operator_process::would_pass_change(const setting& s,
                                         k8s::time_point now) const {
  auto sizes = [](const operator_process& p) {
    return std::make_tuple(
        p.orders.size(), p.writing.has_value(), p.requeue.at(),
        p.memory.observed().gone().lost().size(),
        p.memory.observed().gone().with_unsaved_restarts().size());
  };
  bool remembers = !memory.observed().gone().lost().empty()
                   || !memory.observed().gone().with_unsaved_restarts().empty();
  if (!remembers) { // The trial costs more.
    auto result =
        s.plan(*memory.job(), memory.observed(), memory.expectations(), *status,
               *writer.saved_status(), now, s.options()->cluster);
    if (!result.decisions.empty() || result.status != *status)
      return true;
  }
  auto trial = *this;
  trial.pass(s, now);
  return !trial.decided.empty() || sizes(trial) != sizes(*this)
         || &*trial.status != &*status;
}

void operator_process::on_timer(const setting& s, k8s::time_point now) {
  // The number of the only timer is what it was set with last.
  actors::requeue_timer none;
  requeue = none;
  pass(s, now);
}

} // namespace troupe::exploration
