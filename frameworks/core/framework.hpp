#pragma once

#include "frameworks/core/cluster_options.hpp"
#include "frameworks/core/job.hpp"
#include "frameworks/core/observed.hpp"
#include "k8s/objects.hpp"
#include "k8s/result.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace troupe::core {

/// One variable of a container's environment.
struct env_var {
  std::string name;
  std::string value;
  /// If not "", the value is read from this field of the pod ("status.podIP")
  /// when it starts.
  std::string field_path = {};
};

/// Whether the success of this replica type decides the success of the job.
enum class leadership : std::uint8_t {
  none,
  leads,             ///< If present.
  if_no_leader,      ///< If no type that leads is present.
  if_single_process, ///< If framework::is_single_process(job).
};

/// When a leading type has succeeded.
enum class success : std::uint8_t {
  all, ///< Every replica has.
  /// Index 0 has, with exit code 0; every replica if the job's success policy
  /// is AllWorkers.
  first,
  /// One replica has, if the job has an elastic policy; else every replica.
  any_if_elastic,
};

/// Which pods of a type have the label job-role: master.
enum class master_role : std::uint8_t {
  none,
  all,
  first,                     ///< Index 0.
  index_zero_without_leader, ///< Index 0, when no leading type is present.
};

/// How many replicas of a type a job may have when it is created.
enum class replica_count : std::uint8_t {
  any,
  one,          ///< Exactly one; it must be set explicitly.
  one_or_unset, ///< Exactly one, or unset, which means one.
  not_zero,     ///< At least one, or unset.
};

/// One replica type of a framework.
struct replica_rule {
  const char* type = "";  ///< "Worker".
  const char* label = ""; ///< "worker".
  int default_replicas = 1;
  leadership lead = leadership::none;
  success succeeds = success::all;
  master_role role = master_role::none;
  replica_count allowed = replica_count::any;
  bool required = false; ///< A job without it is invalid.
  bool may_fail_if_dynamic =
      false; ///< With enableDynamicWorker, its failures do not fail the job.
  bool indexed = true; ///< Its name and labels contain an index.
  /// Its pods are created when those of all other types exist.
  bool created_last = false;
  /// The event about a created pod: reason, and message before the name.
  const char* created_reason = "SuccessfulCreatePod";
  const char* created_message_prefix = "Created pod: ";
  /// The event about a pod that could not be created: reason, and message
  /// before the error.
  const char* create_failed_reason = "FailedCreatePod";
  const char* create_failed_message_prefix = "Error creating: ";
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
  /// Message of the event when {count} failed pods of a type that does not lead
  /// were evicted; "": no event.
  const char* evicted = "";
  /// Messages of events, before the others, when the leading type has succeeded
  /// (the reason begins with the kind's plural) or failed permanently (the
  /// reason is that of the pod, if it has one); "": no event.
  const char* leader_succeeded = "";
  const char* leader_failed = "";
};

/// One error in a job, with the text of the original's webhooks.
struct field_error {
  std::string field; ///< "spec.tfReplicaSpecs[Worker].replicas".
  std::string text;  ///< "Forbidden: must be at least 1".
};

/// Which containers of a pod get the environment.
enum class env_scope : std::uint8_t {
  main_container,  ///< The first of the default name.
  every_container, ///< All except init containers.
};

/// An object that a job has beside its pods and services.
struct auxiliary_object {
  child_kind kind = child_kind::config_map;
  std::string name;
  /// JSON text of the object without apiVersion, kind and metadata.
  std::string body;
  /// JSON text of labels and annotations, "" if none; set at creation, never
  /// updated.
  std::string metadata;
  bool before_pods = false; ///< No pod is created before this object exists.
  /// It references the job's object of this kind, and is created only after a
  /// watch has shown that object: the API server checks references in a cache
  /// that may lag.
  std::optional<child_kind> refers_to = {};
};

/// A job kind: one row of the registry. Plain data and pure functions. A
/// difference between kinds is a field here, never an `if` in the core.
struct framework {
  k8s::resource type;          ///< kubeflow.org/v1 tfjobs TFJob.
  const char* singular = "";   ///< "tfjob".
  const char* name = "";       ///< "tensorflow": the metrics' label.
  const char* spec_field = ""; ///< "tfReplicaSpecs".
  const char* controller = ""; ///< "tfjob-controller".
  const char* container = "";  ///< Default container's name.
  const char* port_name = "";
  std::int32_t port = 0; ///< 0: no port is added to a container.
  restart_policy default_restart = restart_policy::never;
  std::vector<replica_rule> replicas; ///< In order of evaluation.

  // What a job may contain.
  bool case_insensitive_types = false; ///< Type names are case-insensitive.
  /// Pods are created for unknown types, but they do not affect the job's
  /// conditions.
  bool allows_unknown_types = false;
  bool allows_one_leading_type_only =
      false; ///< At most one leading type may be present.
  /// If no container has the default name, the first one is used.
  bool allows_any_container_name = false;
  bool allows_dotted_names =
      false; ///< The job's name may be a DNS subdomain, not only a label.
  bool quotes_container_in_errors =
      false; ///< A validation error quotes the container's name.
  /// Whether the job has one worker and no scheduler or server (MXNet), so that
  /// each type of leadership::if_single_process leads. nullptr: never.
  bool (*is_single_process)(const job& j) = nullptr;

  // What a job has.
  bool services = true;            ///< Each replica has a headless service.
  bool selector_in_status = false; ///< For the scale subresource.
  env_scope scope = env_scope::every_container;

  // How a job ends.
  /// A failed pod is replaced under OnFailure and Always. (Under ExitCode, by
  /// its code, for every kind.)
  bool replaces_pods_on_failure = true;
  /// Condition Running is set before Succeeded, Failed or Restarting.
  bool sets_running_before_end = false;
  /// A permanent exit code causes an event with the framework's message, too.
  bool adds_own_event_on_permanent_failure = false;
  /// When the leader has finished, the replica statuses of the other types are
  /// reset.
  bool clears_follower_counts_at_end = false;
  const char* failed_reason_suffix = "Failed"; ///< Of the condition's reason,
                                               ///< when a replica has failed.

  // Events and messages.
  bool emits_exit_events =
      true; ///< Emits an event when a pod's main container exits.
  /// Noun in the reason of the event when a job is deleted after its TTL
  /// (SuccessfulDelete<noun>, FailedDelete<noun>).
  const char* delete_event_noun = "Job";
  /// Verb in the reason of warnings about templates: "Set" or "Setted".
  const char* template_warning_verb = "Set";
  message_templates messages_with_leader; ///< When a leading type is present.
  message_templates messages_without_leader; ///< When none is.

  /// The environment of one replica's containers (see `scope`).
  std::vector<env_var> (*environment)(const job& j, const slot& at,
                                      const cluster_options& cluster) = nullptr;

  /// Adds to the `spec` of a pod that is otherwise complete (init containers,
  /// volumes, ...). nullptr: nothing.
  void (*customize_pod_spec)(nlohmann::json& spec, const job& j, const slot& at,
                             const cluster_options& cluster) = nullptr;

  /// The auxiliary objects that an unfinished job should have now. nullptr:
  /// none.
  std::vector<auxiliary_object> (*auxiliary_objects)(
      const job& j, const observed_children& seen,
      const cluster_options& cluster) = nullptr;
  std::vector<child_kind> auxiliary_kinds; ///< The kinds that these may have.

  /// Rules beyond the fields above, for `spec` as the user wrote it. nullptr:
  /// none.
  std::vector<field_error> (*find_spec_errors)(const nlohmann::json& spec) =
      nullptr;

  /// Warnings for the user who writes the job: deprecated fields. nullptr:
  /// none.
  std::vector<std::string> (*find_spec_warnings)(const nlohmann::json& spec) =
      nullptr;

  /// A framework-specific message for an invalid `spec`, used instead of field
  /// errors. "" or nullptr: the field errors are used.
  std::string (*describe_invalid_spec)(const nlohmann::json& spec) = nullptr;

  /// By label ("worker"), or nullptr.
  const replica_rule* find(const std::string& label) const;
  /// By type as a user may spell it ("Worker"), or nullptr.
  const replica_rule* find_type(const std::string& spelled) const;
  bool is_indexed(const std::string& label) const;
};

/// Whether a leading type is present in the job.
bool has_leading_type(const job& j);

/// Whether the success of this type decides the success of the job. Types that
/// the framework does not define never lead.
bool leads(const job& j, const replica_rule& rule);

/// The messages that fit the job.
const message_templates& messages_for(const job& j);

/// Fills the placeholders of a message.
std::string fill_template(const char* phrase, const job& j,
                          std::int32_t count = 0, const std::string& type = {});

} // namespace troupe::core
