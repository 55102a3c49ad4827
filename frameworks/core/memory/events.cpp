#include "frameworks/core/memory/events.hpp"

#include "frameworks/core/model/names.hpp"

#include <algorithm>
#include <iterator>

namespace troupe::core {

namespace {

/// "Pod", "PodGroup".
std::string kind_name(child_kind kind) {
  return resource_of(kind).kind;
}

/// "pod", but "PodGroup", as in training-operator v1.
std::string kind_name_in_message(child_kind kind) {
  return is_replica_child(kind) ? to_string(kind) : kind_name(kind);
}

/// The rule of its framework for the replica type, or the default rule.
const replica_rule& replica_rule_or_default(const job& j, const slot& at) {
  static const replica_rule common;
  const auto* rule = j.kind->find_rule_by_label(at.type);
  return rule ? *rule : common;
}

/// The texts of its framework for pods and services, or nullptr.
const child_event_texts* child_event_texts_of(const framework& f,
                                              child_kind kind) {
  return is_replica_child(kind) ? f.messages.child_events : nullptr;
}

job_event event_from_framework_template(bool warning, const char* reason,
                                        const char* message, child_kind kind,
                                        const std::string& name,
                                        const std::string& error = {}) {
  return {warning, reason,
          fill_placeholders(message, {{"{noun}", to_string(kind)},
                                      {"{name}", name},
                                      {"{error}", error}})};
}

job_event default_create_failed_event(child_kind kind, const std::string& why) {
  return {true, "FailedCreate" + kind_name(kind), "Error creating: " + why};
}

} // namespace

job_event child_created_event(const create_child& made, const job& j,
                              const std::string& name) {
  if (const auto* own = child_event_texts_of(*j.kind, made.kind))
    return event_from_framework_template(false, own->created_reason,
                                         own->created, made.kind, name);
  if (made.kind == child_kind::service)
    return {false, "SuccessfulCreateService", "Created service: " + name};
  const auto& rule = replica_rule_or_default(j, made.at);
  return {false, rule.created_reason, rule.created_message_prefix + name};
}

std::optional<job_event> child_created_event(const create_auxiliary& made) {
  const auto& name = made.wanted->name;
  switch (made.wanted->kind) {
  // Worded as if they had been found, blanks and all.
  case child_kind::service_account:
    return job_event{false, "ServiceAccount is exist",
                     "ServiceAccount: " + name};
  case child_kind::role:
    return job_event{false, "LauncherRole is exist", "LauncherRole: " + name};
  case child_kind::role_binding:
    return job_event{false, "RoleBinding is exist", "RoleBinding: " + name};
  default:
    return std::nullopt;
  }
}

std::optional<job_event>
own_taken_name_event(const framework& f, child_kind kind,
                     const std::string& name, const k8s::failure& why,
                     const ownership_conflict& conflict) {
  const char* words = f.messages.taken_name;
  if (*words == '\0' || why.code != k8s::ec::exists || !conflict.exists())
    return std::nullopt;
  return job_event{
      true, "ErrResourceExists",
      fill_placeholders(words, {{"{name}", name}, {"{kind}", kind_name(kind)}})
          + "; " + describe_conflict(conflict)};
}

job_event
child_create_failed_event(const create_child& wanted, const job& j,
                          const k8s::failure& why,
                          const std::optional<next_move>& whose_move) {
  auto message = append_whose_move_if_known(why.message, whose_move);
  if (const auto* own = child_event_texts_of(*j.kind, wanted.kind))
    return event_from_framework_template(true, own->create_failed_reason,
                                         own->create_failed, wanted.kind,
                                         child_name(j, wanted), message);
  if (wanted.kind != child_kind::pod)
    return default_create_failed_event(wanted.kind, message);
  const auto& rule = replica_rule_or_default(j, wanted.at);
  return {true, rule.create_failed_reason,
          rule.create_failed_message_prefix + message};
}

job_event child_create_failed_event(const create_auxiliary& wanted,
                                    const job& j, const k8s::failure& why,
                                    const ownership_conflict& conflict) {
  const auto& kind = j.kind->names.type.kind;
  if (auto own = own_taken_name_event(*j.kind, wanted.wanted->kind,
                                      wanted.wanted->name, why, conflict))
    return *own;
  if (wanted.wanted->kind == child_kind::launcher_job) {
    const auto& rule =
        replica_rule_or_default(j, {j.kind->names.type_made_by_job, 0});
    return {true, rule.create_failed_reason,
            rule.create_failed_message_prefix
                + append_whose_move_if_known(why.message, conflict.whose_move)};
  }
  if (why.code == k8s::ec::exists && conflict.exists())
    return {true, "ErrResourceExists",
            "Resource \"" + wanted.wanted->name + "\" of " + kind + "Kind \""
                + kind_name(wanted.wanted->kind)
                + "\" already exists and is not managed by " + kind + "; "
                + describe_conflict(conflict)};
  return default_create_failed_event(
      wanted.wanted->kind,
      append_whose_move_if_known(why.message, conflict.whose_move));
}

std::vector<job_event> child_deleted_events(const framework& f, child_kind kind,
                                            const std::string& name) {
  std::vector<job_event> result;
  if (const auto* own = f.messages.child_events;
      own && *own->deleted_reason == '\0')
    return result;
  if (const auto* own = child_event_texts_of(f, kind))
    return {event_from_framework_template(false, own->deleted_reason,
                                          own->deleted, kind, name)};
  if (kind == child_kind::autoscaler)
    return result;
  if (kind == child_kind::volcano_group || kind == child_kind::pod_group)
    result.push_back(
        {false, "JobTerminated", "Job has been terminated. Deleting PodGroup"});
  result.push_back({false, "SuccessfulDelete" + kind_name(kind),
                    "Deleted " + kind_name_in_message(kind) + ": " + name});
  return result;
}

std::optional<job_event> queue_event(const job& j, const queue_order& d,
                                     const workload_state* workload) {
  auto name = j.ns + "/" + (d.second.empty() ? d.name : d.second);
  switch (d.what) {
  case queue_action::ask:
  case queue_action::grow:
    if (!workload) // The job was given a queue instead.
      return std::nullopt;
    return job_event{false, "CreatedWorkload", "Created Workload: " + name};
  case queue_action::ask_anew:
  case queue_action::rank:
  case queue_action::shrink:
  case queue_action::regrow:
    return job_event{false, "UpdatedWorkload", "Updated Workload: " + name};
  case queue_action::remove:
    return job_event{false, "DeletedWorkload", "Deleted Workload: " + name};
  case queue_action::finish:
    return job_event{false, "FinishedWorkload",
                     "Workload '" + name + "' is declared finished"};
  case queue_action::start:
    if (workload && workload->finished)
      return job_event{true, workload->finished->reason,
                       workload->finished->message};
    if (d.beside_pods && j.policy.suspend) // It was held in place of that.
      return job_event{false, "Stopped",
                       "The templates contradict what was admitted by "
                       "clusterQueue "
                           + d.message};
    return job_event{false, "Started", "Admitted by clusterQueue " + d.message};
  case queue_action::hold:
    return d.message.empty()
               ? std::nullopt
               : std::optional{job_event{false, "Stopped", d.message}};
  default:
    return std::nullopt;
  }
}

namespace {

struct failed_call_events {
  const framework& f;
  const k8s::failure& why;
  int before;

  std::optional<job_event> operator()(const delete_child& d) const {
    if (const auto* own = child_event_texts_of(f, d.kind);
        own && *own->delete_failed_reason != '\0')
      return event_from_framework_template(true, own->delete_failed_reason,
                                           own->delete_failed, d.kind, d.name,
                                           why.message);
    return failed_call_event("Delete", d.kind, "Error deleting: ");
  }
  std::optional<job_event> operator()(const update_auxiliary& d) const {
    return failed_call_event("Update", d.kind, "Error updating: ");
  }
  std::optional<job_event> operator()(const patch_auxiliary& d) const {
    return failed_call_event("Update", d.kind, "Error updating: ");
  }
  std::optional<job_event> operator()(const queue_order& d) const {
    if (d.what == queue_action::rank && before > 0)
      return std::nullopt;
    return job_event{true, "FailedQueueing",
                     "Cannot " + std::string{to_string(d.what)}
                         + " with Workload " + d.name + ": " + why.message};
  }
  std::optional<job_event> operator()(const adopt_child& d) const {
    return event_of_first_refusal(
        "Adopt", d.kind,
        "Error adopting " + d.name + ", which stays in use without an owner: ");
  }
  std::optional<job_event> operator()(const release_child& d) const {
    return event_of_first_refusal("Release", d.kind,
                                  "Error releasing " + d.name + ": ");
  }
  template <class Other>
  std::optional<job_event> operator()(const Other&) const {
    return std::nullopt;
  }

  std::optional<job_event> failed_call_event(const char* verb, child_kind kind,
                                             const std::string& words) const {
    return job_event{true, std::string{"Failed"} + verb + kind_name(kind),
                     words + why.message};
  }
  std::optional<job_event>
  event_of_first_refusal(const char* verb, child_kind kind,
                         const std::string& words) const {
    if (before > 0 || !why.is_refusal())
      return std::nullopt;
    return failed_call_event(verb, kind, words);
  }
};

} // namespace

std::optional<job_event>
failed_order_event_except_creation(const framework& f, const decision& d,
                                   const k8s::failure& why,
                                   int failures_before) {
  if (why.code == k8s::ec::cancelled)
    return std::nullopt;
  return std::visit(failed_call_events{f, why, failures_before}, d);
}

std::vector<job_event> pod_lost_events(const job& j, const delete_child& d) {
  job_event on_job{true, "NodeLost",
                   "Pod: " + j.ns + "." + d.name
                       + " was deleted without waiting for its end and does "
                         "not count as failed, because "
                       + d.why};
  auto on_pod = on_job;
  on_pod.pod = d.name;
  on_pod.pod_uid = d.uid;
  return {on_job, on_pod};
}

job_event node_read_refused_event(const read_node& d, const k8s::failure& why) {
  return {true, "FailedReadNode",
          "Error reading node " + d.name
              + ", so pods of lost nodes are left as they are; grant the "
                "operator `get` of nodes, as deploy/rbac does: "
              + why.message};
}

job_event job_deleted_event(const framework& f, const std::string& name) {
  return {false, std::string{"SuccessfulDelete"} + f.messages.delete_event_noun,
          "Deleted job: " + name};
}

job_event job_delete_failed_event(const framework& f, const std::string& why) {
  return {true, std::string{"FailedDelete"} + f.messages.delete_event_noun,
          "Error deleting: " + why};
}

namespace {

/// "WHAT: the definition of tfjobs has no FIELDS, and the annotation LABEL
/// cannot be written: WHY".
job_event not_saved_event(const char* reason, const std::string& what,
                          const framework& kind, const char* fields,
                          const char* annotation, const k8s::failure& why) {
  return {true, reason,
          what + ": the definition of " + kind.names.type.plural + " has no "
              + fields + ", and the annotation " + annotation
              + " cannot be written: " + why.message};
}

} // namespace

job_event restarts_not_saved_event(const framework& kind,
                                   const k8s::failure& why) {
  return not_saved_event(
      "RestartsNotSaved",
      "The count of restarts is lost if the operator restarts", kind,
      "status.restarts", label::restarts, why);
}

job_event recovery_not_saved_event(const framework& kind,
                                   const k8s::failure& why) {
  return not_saved_event(
      "RecoveryNotSaved",
      "What is known of the restarts of the job and of its replicas that are "
      "done is forgotten if the operator restarts",
      kind,
      "status.restartAttempt and status.replicaStatuses[*].completedIndexes",
      label::recovery, why);
}

job_event attempt_not_saved_event(const framework& kind, std::int32_t attempt,
                                  const k8s::failure& why) {
  return not_saved_event("RecoveryNotSaved",
                         "The restart of the job waits, because attempt "
                             + std::to_string(attempt)
                             + " has to be saved before it begins",
                         kind, "status.restartAttempt", label::recovery, why);
}

std::vector<job_event> take_restart_events(std::vector<job_event>& from,
                                           const framework& kind) {
  const auto reason = kind_prefixed_reason(kind, "Restarting");
  auto first =
      std::stable_partition(from.begin(), from.end(), [&](const job_event& e) {
        return e.reason != reason;
      });
  std::vector<job_event> result(std::make_move_iterator(first),
                                std::make_move_iterator(from.end()));
  from.erase(first, from.end());
  return result;
}

} // namespace troupe::core
