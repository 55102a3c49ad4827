#include "actors/admin/text/waiting_reason.hpp"

#include "actors/admin/text/report_text.hpp"
#include "actors/admin/text/waiting_pods.hpp"
#include "frameworks/core/observed/ownership.hpp"
#include "k8s/json.hpp"

#include <initializer_list>

namespace troupe::actors {

using k8s::array_at;
using k8s::bool_at;
using k8s::find_value;
using k8s::number_at;
using k8s::text_at;
using k8s::value_at;
using nlohmann::json;

namespace {

using optional_reason = std::optional<waiting_reason>;

constexpr const char* the_operator = "the operator";
constexpr const char* the_api_server = "the API server";

bool contains_text(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

bool is_condition_true(const json& report, const char* condition) {
  for (const auto& c : array_at(report, {"status", "conditions"}))
    if (text_at(c, {"type"}) == condition && text_at(c, {"status"}) == "True")
      return true;
  return false;
}

bool has_finished(const json& report) {
  return is_condition_true(report, "Succeeded")
         || is_condition_true(report, "Failed");
}

// -- the job as a whole -------------------------------------------------------

optional_reason waiting_for_valid_spec(const json& report) {
  constexpr const char* person = "a person, who corrects the job";
  if (auto why = text_at(report, {"invalid"}); !why.empty())
    return waiting_reason{"a valid spec: " + why, person};
  if (bool_at(report, {"undecodable"}))
    return waiting_reason{"a spec that can be read", person};
  return {};
}

optional_reason waiting_for_requested_deletion(const json& report) {
  if (!bool_at(report, {"deleting"}))
    return {};
  return waiting_reason{"its deletion, which has been requested",
                        "the controllers that own its finalizers"};
}

optional_reason waiting_for_other_controller(const json& report) {
  auto name = text_at(report, {"managedBy"});
  if (name.empty())
    return {};
  return waiting_reason{
      "the controller in runPolicy.managedBy; this operator does not run it",
      name};
}

optional_reason waiting_for_recovery(const json& report) {
  if (!bool_at(report, {"recovering"}))
    return {};
  return waiting_reason{"its objects to be read again", the_operator};
}

optional_reason waiting_for_resume(const json& report) {
  if (!find_value(report, {"suspended"}))
    return {};
  auto queue = text_at(report, {"suspended", "queue"});
  if (!queue.empty())
    return waiting_reason{"runPolicy.suspend to become false, when queue "
                              + queue + " of Kueue admits the job",
                          "Kueue"};
  auto manager = text_at(report, {"suspended", "specManager"});
  return waiting_reason{
      "runPolicy.suspend to become false"
          + (manager.empty() ? ""
                             : "; the spec was last written by " + manager),
      "a person, or the program that suspended the job"};
}

optional_reason waiting_for_replicas_in_spec(const json& report) {
  const auto& replicas = value_at(report, {"replicas"});
  if (!replicas.is_object())
    return {};
  for (const auto& n : replicas)
    if (number_at(n, {}) > 0)
      return {};
  return waiting_reason{"replicas: its spec asks for none",
                        "a person, who scales the job"};
}

// -- calls to the API server --------------------------------------------------

/// Who can do something about a call that failed.
std::string who_can_resolve_failure(const std::string& code,
                                    const std::string& message) {
  struct row {
    const char* part;
    const char* who;
  };
  static const row rows[] = {
      {"exceeded quota",
       "a person, who raises the quota or deletes other objects"},
      {"violates PodSecurity",
       "a person, who changes the pod template or the level of the namespace"},
      {"is being terminated", "nobody: the namespace is being deleted"},
      {"failed calling webhook", "a person, who repairs that webhook"},
      {"denied the request", "a person, who does what the webhook asks for"},
      {"cannot ", "a person, who grants the operator this right"},
  };
  if (code == "forbidden" || contains_text(message, "webhook"))
    for (const auto& r : rows)
      if (contains_text(message, r.part))
        return r.who;
  if (code == "forbidden" || code == "unauthenticated")
    return "a person, who grants the operator this right";
  if (code == "invalid")
    return "a person, who corrects the job";
  if (code == "exists")
    return "a person, who deletes the other object of this name";
  if (code == "conflict" || code == "gone")
    return the_operator;
  return the_api_server;
}

/// The call that has failed most often, and is tried again later.
optional_reason waiting_for_failed_call(const json& report) {
  const json* worst = nullptr;
  for (const auto& e : array_at(report, {"expectations"}))
    if (find_value(e, {"lastFailure"})
        && (!worst
            || number_at(e, {"attempts"}) > number_at(*worst, {"attempts"})))
      worst = &e;
  if (!worst)
    return {};
  auto message = text_at(*worst, {"lastFailure", "message"});
  auto whose_move = core::take_whose_move(message);
  auto what = describe_operation(report, *worst) + ", which has failed "
              + once_or_n_times(number_at(*worst, {"attempts"})) + ": "
              + message;
  if (!whose_move.empty())
    return waiting_reason{what + "; it is tried again when that is gone",
                          whose_move};
  if (auto wait = seconds_at(*worst, "heldForSeconds"); wait > 0)
    what += "; it is tried again in " + human_duration_text(wait);
  return waiting_reason{
      what, who_can_resolve_failure(text_at(*worst, {"lastFailure", "code"}),
                                    message)};
}

optional_reason waiting_for_failed_status_write(const json& report) {
  const auto& writer = value_at(report, {"statusWriter"});
  auto failures = number_at(writer, {"failuresInARow"});
  if (failures == 0)
    return {};
  auto message = text_at(writer, {"lastFailure"});
  return waiting_reason{
      "the write of its status, which has failed " + once_or_n_times(failures)
          + ": " + message,
      who_can_resolve_failure(
          contains_text(message, "forbidden") ? "forbidden" : "", message)};
}

/// The oldest call without an answer.
optional_reason waiting_for_call_in_flight(const json& report) {
  for (const auto& e : array_at(report, {"expectations"}))
    if (!find_value(e, {"heldForSeconds"}))
      return waiting_reason{describe_operation(report, e), the_api_server};
  return {};
}

optional_reason waiting_for_status_write(const json& report) {
  if (!bool_at(report, {"statusWriter", "writeUnderWay"}))
    return {};
  return waiting_reason{"the write of its status", the_api_server};
}

// -- gang ---------------------------------------------------------------------

optional_reason waiting_for_gang_admission(const json& report) {
  const auto& group = value_at(report, {"podGroup"});
  if (!bool_at(group, {"awaited"}))
    return {};
  auto phase = text_at(group, {"phase"});
  auto why = text_at(group, {"trouble"});
  return waiting_reason{
      "its PodGroup " + text_at(group, {"name"}) + " to be admitted"
          + (phase.empty() ? "; it has no phase yet" : "; it is " + phase)
          + (why.empty() ? "" : ": " + why),
      "the gang scheduler; a person if the queue has no room for the job"};
}

// -- the end ------------------------------------------------------------------

optional_reason waiting_for_running_pods(const json& report) {
  for (const auto& p : array_at(report, {"pods"}))
    if (text_at(p, {"phase"}) == "Running")
      return waiting_reason{"its processes to end",
                            "the processes in its pods"};
  return {};
}

optional_reason waiting_for_ttl_deletion(const json& report) {
  auto wait = human_duration_between(report, {"at"}, report, {"deletedAt"});
  if (!wait)
    return {};
  return waiting_reason{"its deletion in " + *wait
                            + ", by ttlSecondsAfterFinished",
                        the_operator};
}

using reason_rule = optional_reason (*)(const json&);

optional_reason first_matching_reason(std::initializer_list<reason_rule> rules,
                                      const json& report) {
  for (auto r : rules)
    if (auto found = r(report))
      return found;
  return {};
}

} // namespace

optional_reason find_waiting_reason(const json& report) {
  if (auto found = first_matching_reason({waiting_for_requested_deletion,
                                          waiting_for_other_controller,
                                          waiting_for_recovery},
                                         report))
    return found;
  if (has_finished(report))
    return first_matching_reason(
        {waiting_for_failed_status_write, waiting_for_status_write,
         waiting_for_failed_call, waiting_for_terminating_pods,
         waiting_for_call_in_flight, waiting_for_ttl_deletion},
        report);
  return first_matching_reason(
      {waiting_for_valid_spec, waiting_for_resume, waiting_for_replicas_in_spec,
       waiting_for_failed_call, waiting_for_gang_admission,
       waiting_for_pods_with_problem, waiting_for_delayed_replacements,
       waiting_for_failed_status_write, waiting_for_pending_pods,
       waiting_for_unready_pods, waiting_for_call_in_flight,
       waiting_for_missing_pods, waiting_for_terminating_pods,
       waiting_for_lost_pods, waiting_for_running_pods,
       waiting_for_status_write},
      report);
}

} // namespace troupe::actors
