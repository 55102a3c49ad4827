#pragma once

namespace troupe::core {

/// Texts of the events about calls for pods and services, for a kind whose
/// texts are not the training operator's (see events.hpp). Placeholders: {noun}
/// ("pod"), {name}, {error}. Without a reason there is no event.
struct child_event_texts {
  const char* created_reason = "";
  const char* created = "";
  const char* create_failed_reason = "";
  const char* create_failed = "";
  const char* deleted_reason = "";
  const char* deleted = "";
  const char* delete_failed_reason = "";
  const char* delete_failed = "";
};

/// Messages of conditions and events. Placeholders: {kind} {ns} {name} {count}
/// {type}.
struct message_templates {
  const char* running = "";
  const char* succeeded = "";
  const char* failed = "";
  /// Message of an additional event when a replica is restarted; "": no event.
  const char* restarting = "";
  /// Message of the event when the last replica has begun to run; "": no event.
  const char* all_running = "";
  /// Message of the event when {count} failed pods of a type that is not the
  /// chief were evicted; "": no event.
  const char* evicted = "";
  /// Messages of events, before the others, when the chief type has succeeded
  /// (the reason begins with the kind's plural) or failed permanently (the
  /// reason is that of the pod, if it has one); "": no event.
  const char* chief_succeeded = "";
  const char* chief_failed = "";
};

/// Chapter: what conditions, events and metrics say. Read where they are
/// written (pass/completion, memory/events, observed/pod_events).
struct kind_messages {
  message_templates with_chief;    ///< When has_replica_of_chief_type().
  message_templates without_chief; ///< Else.
  /// Of the condition's reason, when a replica has failed.
  const char* failed_reason_suffix = "Failed";
  const char* event_source = "";   ///< "": kind_names::controller.
  const char* metrics_source = ""; ///< Of reconciles. "": the same.
  /// The message of ErrResourceExists, if it is not the training operator's.
  /// Placeholders: {name} and {kind} of the object.
  const char* taken_name = "";
  /// nullptr: the training operator's.
  const child_event_texts* child_events = nullptr;
  /// Emits an event when a pod's main container exits.
  bool emits_exit_events = true;
  /// Emits events about what keeps a pod from running.
  bool emits_problem_events = true;
  /// A permanent exit code causes an event with the framework's message, too.
  bool adds_own_event_on_permanent_failure = false;
  /// Noun in the reason of the event when a job is deleted after its TTL
  /// (SuccessfulDelete<noun>, FailedDelete<noun>).
  const char* delete_event_noun = "Job";
  /// Verb in the reason of warnings about templates: "Set" or "Setted".
  const char* template_warning_verb = "Set";
};

} // namespace troupe::core
