#include "frameworks/core/waiting/waiting_calls.hpp"

#include "frameworks/core/model/labels.hpp"
#include "frameworks/core/waiting/reason_parts.hpp"

#include <string_view>

namespace troupe::core {

namespace {

constexpr next_move the_api_server{mover::cluster, "the API server"};
constexpr next_move who_grants_rights{
    mover::person, "a person, who grants the operator this right"};

bool contains_text(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// An answer of the API server has one code for many refusals; who made it can
/// be seen in its message only.
struct refusal {
  const char* part; ///< Of the message.
  next_move whose;
};

constexpr refusal refusals[] = {
    {"exceeded quota",
     {mover::person, "a person, who raises the quota or deletes other "
                     "objects"}},
    {"violates PodSecurity",
     {mover::person, "a person, who changes the pod template or the level of "
                     "the namespace"}},
    {"is being terminated",
     {mover::nobody, "nobody: the namespace is being deleted"}},
    {"failed calling webhook",
     {mover::person, "a person, who repairs that webhook"}},
    {"denied the request",
     {mover::person, "a person, who does what the webhook asks for"}},
    {"cannot ", who_grants_rights},
};

const char* noun_of(const std::optional<operation>& action) {
  if (!action)
    return "creation";
  switch (*action) {
  case operation::update:
    return "update";
  case operation::annotate:
    return "annotation";
  case operation::read:
    return "reading";
  case operation::delete_object:
    return "deletion";
  case operation::adopt:
    return "adoption";
  case operation::release:
    return "release";
  }
  return "change";
}

/// The name of a child that is known by its UID.
std::string name_of_subject_or_uid(const std::string& subject,
                                   const observed_children& seen) {
  for (auto kind : all_child_kinds)
    for (const auto& child : seen.children_of_kind(kind))
      if (auto uid = child.uid.text();
          uid == subject
          || (kind == child_kind::workload && rank_key(uid) == subject))
        return child.name;
  return subject;
}

waiting_reason failure_reason(std::string what, int failures,
                              const k8s::failure& why, next_move whose) {
  auto r = reason_of(std::move(what), whose,
                     "which has failed " + once_or_n_times(failures));
  r.details = why.message;
  return r;
}

} // namespace

next_move who_resolves(const k8s::failure& why) {
  if (why.code == k8s::ec::forbidden || contains_text(why.message, "webhook"))
    for (const auto& r : refusals)
      if (contains_text(why.message, r.part))
        return r.whose;
  switch (why.code) {
  case k8s::ec::forbidden:
  case k8s::ec::unauthenticated:
    return who_grants_rights;
  case k8s::ec::invalid:
    return {mover::person, "a person, who corrects the job"};
  case k8s::ec::exists:
    return {mover::person,
            "a person, who deletes the other object of this name"};
  case k8s::ec::conflict:
  case k8s::ec::not_found:
    return the_operator;
  default:
    return the_api_server;
  }
}

std::string describe_expectation(const expectations::row& expected,
                                 const observed_children& seen) {
  if (expected.kind == child_kind::workload
      && expected.action == operation::update)
    return expected.subject.empty()
               ? "a step of its queueing"
               : "a step of its queueing, with workload "
                     + name_of_subject_or_uid(expected.subject, seen);
  auto what = std::string{"the "} + noun_of(expected.action) + " of "
              + to_string(expected.kind) + " ";
  if (expected.subject.empty()) // A read of whatever has the name.
    return what + "by its name";
  return what + name_of_subject_or_uid(expected.subject, seen);
}

namespace {

std::optional<waiting_reason> find_failed_call(const waiting_inputs& in,
                                               std::optional<child_kind> kind) {
  const auto rows = in.open.report_rows();
  const expectations::row* worst = nullptr;
  for (const auto& r : rows)
    if ((!kind || r.kind == *kind)
        && r.attempts > (worst ? worst->attempts : 0))
      worst = &r;
  if (!worst)
    return {};
  const auto& why = worst->last_failure;
  auto r =
      failure_reason(describe_expectation(*worst, in.seen), worst->attempts,
                     why, worst->whose_move.value_or(who_resolves(why)));
  if (worst->whose_move) {
    r.then = "it is tried again when that is gone";
  } else if (worst->retry_not_before && *worst->retry_not_before > in.now) {
    r.then = "it is tried again";
    r.until = worst->retry_not_before;
  }
  return r;
}

} // namespace

std::optional<waiting_reason>
waiting_for_failed_call(const waiting_inputs& in) {
  return find_failed_call(in, std::nullopt);
}

std::optional<waiting_reason> waiting_for_failed_call(const waiting_inputs& in,
                                                      child_kind kind) {
  return find_failed_call(in, kind);
}

std::optional<waiting_reason>
waiting_for_call_in_flight(const waiting_inputs& in) {
  for (const auto& row : in.open.report_rows())
    if (!row.retry_not_before) {
      auto r = reason_of(describe_expectation(row, in.seen), the_api_server);
      r.since = row.since;
      return r;
    }
  return {};
}

std::optional<waiting_reason>
waiting_for_failed_status_write(const waiting_inputs& in) {
  const auto& write = in.supervisor.status_write;
  if (write.failures_in_a_row == 0)
    return {};
  auto what = write.attempt_refused
                  ? std::string{"the write of its restart into the annotation "}
                        + label::recovery
                  : "the write of its status";
  auto r = failure_reason(std::move(what), write.failures_in_a_row,
                          write.last_failure, who_resolves(write.last_failure));
  if (write.attempt_refused)
    r.then = "nothing is stopped or made anew before it is saved";
  return r;
}

std::optional<waiting_reason>
waiting_for_status_write(const waiting_inputs& in) {
  if (!in.supervisor.status_write.in_flight)
    return {};
  return reason_of("the write of its status", the_api_server);
}

} // namespace troupe::core
