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

/// Whether a type's success is the job's.
enum class leadership : std::uint8_t {
  none,
  leads,             ///< If present.
  if_no_leader,      ///< If no type that leads is present.
  if_single_process, ///< If the kind calls the job single (see framework).
};

/// When a type that leads has succeeded.
enum class success : std::uint8_t {
  all,            ///< Every replica has.
  first,          ///< Index 0 has, with exit code 0, is enough; unless the
                  ///< job's success policy is AllWorkers.
  any_if_elastic, ///< One of them has, if the job has an elastic policy; else
                  ///< every one.
};

/// Which pods of a type carry the label job-role: master.
enum class master_role : std::uint8_t {
  none,
  all,
  first,                     ///< Index 0.
  index_zero_without_leader, ///< Index 0, when no leading type is present.
};

/// How many replicas of a type may be asked for when a job is made.
enum class replica_count : std::uint8_t {
  any,
  one,          ///< Exactly one, and it must say so.
  one_or_unset, ///< Exactly one; unset means that.
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
  bool required = false; ///< A job without it is refused.
  bool may_fail_if_dynamic =
      false;           ///< In a dynamic job its failures are its own affair.
  bool indexed = true; ///< Its name and labels carry an index.
  bool created_last = false; ///< Its pods are made when those of all other
                             ///< types exist.
  /// The event on a pod that was made: reason, and message before the name.
  const char* created_reason = "SuccessfulCreatePod";
  const char* created_message_prefix = "Created pod: ";
  /// The event on a pod that could not be made: reason, and message before why.
  const char* create_failed_reason = "FailedCreatePod";
  const char* create_failed_message_prefix = "Error creating: ";
};

/// What a kind says in its conditions. Placeholders: {kind} {ns} {name}
/// {count} {type}.
struct message_templates {
  const char* running = "";
  const char* succeeded = "";
  const char* failed = "";
  /// Told as an event beside the common words on restarting; "": nothing is.
  const char* restarting = "";
  /// Told as an event when the last replica has begun to run; "": nothing is.
  const char* all_running = "";
  /// Told as an event when failed pods of a type that does not lead were
  /// evicted; {count} of them. "": nothing is.
  const char* evicted = "";
  /// Told as events, before the others, when the type that leads has succeeded
  /// (the reason begins with the kind's plural) or failed for good (the reason
  /// is the pod's own, if it has one). "": nothing is.
  const char* leader_succeeded = "";
  const char* leader_failed = "";
};

/// One thing wrong with a job, worded as the original's webhooks word it.
struct field_error {
  std::string field; ///< "spec.tfReplicaSpecs[Worker].replicas".
  std::string text;  ///< "Forbidden: must be at least 1".
};

/// Which containers of a pod get the environment.
enum class env_scope : std::uint8_t {
  main_container,  ///< The first of the default name.
  every_container, ///< All but init containers.
};

/// An object that a job has beside its pods and services.
struct auxiliary_object {
  child_kind kind = child_kind::config_map;
  std::string name;
  std::string body; ///< JSON text: all of it but apiVersion, kind and metadata.
  std::string metadata; ///< JSON text of labels and annotations, "" if none;
                        ///< set when it is made, never corrected.
  bool before_pods = false; ///< No pod is made before it is there.
  /// It refers to the job's object of this kind, so it is made when a watch has
  /// shown that one: what the API server checks references with may lag behind
  /// its answers.
  std::optional<child_kind> refers_to = {};
};

/// A job kind: one row of the registry. Plain data and pure functions. A kind
/// that differs gets a column here, never an `if` in the core.
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

  // What a job may ask for.
  bool case_insensitive_types = false; ///< Type names are taken in any case.
  bool allows_unknown_types = false;   ///< Unknown types get pods, but no say.
  bool allows_one_leading_type_only =
      false; ///< At most one leading type may be present.
  bool allows_any_container_name = false; ///< None has to have the default
                                          ///< name: the first stands for it.
  bool allows_dotted_names =
      false; ///< Its name may be any of an object's names.
  bool quotes_container_in_errors =
      false; ///< A refusal quotes the container's name.
  /// Whether one replica is what the job is about, so that each type of
  /// leadership::if_single leads. nullptr: never.
  bool (*is_single_process)(const job& j) = nullptr;

  // What a job has.
  bool services = true;            ///< Each replica has a headless service.
  bool selector_in_status = false; ///< For the scale subresource.
  env_scope scope = env_scope::every_container;

  // How a job ends.
  /// A failed pod is replaced under OnFailure and Always. (Under ExitCode, by
  /// its code, for every kind.)
  bool replaces_pods_on_failure = true;
  /// The job is called running before anything worse (or better) is said of it.
  bool sets_running_before_end = false;
  /// A permanent exit code is told in the kind's own words, too.
  bool adds_own_event_on_permanent_failure = false;
  /// When the leader has ended, what the others count is of no interest.
  bool clears_follower_counts_at_end = false;
  const char* failed_reason_suffix = "Failed"; ///< Of the condition's reason,
                                               ///< when a replica has failed.

  // What a job says.
  bool emits_exit_events =
      true; ///< The exit of a pod's main container is told.
  /// What the event on removing an expired job is called after.
  const char* delete_event_noun = "Job";
  /// What the remarks on templates are called: "Set" or "Setted".
  const char* template_warning_verb = "Set";
  message_templates messages_with_leader; ///< When a leading type is present.
  message_templates messages_without_leader; ///< When none is.

  /// The environment of one replica's containers (see `scope`).
  std::vector<env_var> (*environment)(const job& j, const slot& at,
                                      const cluster_options& cluster) = nullptr;

  /// What else a pod of this kind has (init containers, volumes, ...): changes
  /// the `spec` of a pod that is otherwise complete. nullptr: nothing.
  void (*customize_pod_spec)(nlohmann::json& spec, const job& j, const slot& at,
                             const cluster_options& cluster) = nullptr;

  /// The objects that a job which is not over has now, beside its pods and
  /// services. nullptr: none.
  std::vector<auxiliary_object> (*auxiliary_objects)(
      const job& j, const observed_children& seen,
      const cluster_options& cluster) = nullptr;
  std::vector<child_kind> auxiliary_kinds; ///< Of what kinds these may be.

  /// Rules beyond those of the columns, on `spec` as its owner wrote it.
  /// nullptr: none.
  std::vector<field_error> (*find_spec_errors)(const nlohmann::json& spec) =
      nullptr;

  /// The first thing that is wrong with `spec`, in words of the kind's own,
  /// which its controller tells instead of field errors; "": nothing of that
  /// sort. nullptr: it has no words of its own.
  std::string (*describe_invalid_spec)(const nlohmann::json& spec) = nullptr;

  /// By label ("worker"), or nullptr.
  const replica_rule* find(const std::string& label) const;
  /// By type as an owner may spell it ("Worker"), or nullptr.
  const replica_rule* find_type(const std::string& spelled) const;
  bool is_indexed(const std::string& label) const;
};

/// Whether a leading type is present in the job.
bool has_leading_type(const job& j);

/// Whether this type's success is the job's. Types that are not the
/// framework's own never lead.
bool leads(const job& j, const replica_rule& rule);

/// The phrases that fit the job.
const message_templates& messages_for(const job& j);

/// Fills the placeholders of a phrase.
std::string fill_template(const char* phrase, const job& j,
                          std::int32_t count = 0, const std::string& type = {});

} // namespace troupe::core
