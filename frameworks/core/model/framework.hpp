#pragma once

#include "frameworks/core/model/admission_webhook.hpp"
#include "frameworks/core/model/child_event_texts.hpp"
#include "frameworks/core/model/child_view.hpp"
#include "frameworks/core/model/cluster_options.hpp"
#include "frameworks/core/model/job.hpp"
#include "frameworks/core/model/labels.hpp"
#include "frameworks/core/model/status_format.hpp"
#include "k8s/objects.hpp"
#include "k8s/result.hpp"

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::core {

struct job_request;
class observed_children;
class request_execution;

/// One variable of a container's environment.
struct env_var {
  std::string name;
  std::string value;
  /// If not "", the value is read from this field of the pod ("status.podIP")
  /// when it starts.
  std::string field_path = {};
};

/// When a replica type is the job's chief: its success is the job's success.
enum class chief_rule : std::uint8_t {
  never,
  if_present,        ///< If the job has replicas of it.
  if_no_other,       ///< If no type of `if_present` is there.
  if_single_process, ///< If framework::is_single_process(job).
};

/// When the chief type has succeeded.
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
  first,                    ///< Index 0.
  index_zero_without_chief, ///< Index 0, when has_chief() is false.
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
  chief_rule chief = chief_rule::never;
  success succeeds = success::all;
  master_role role = master_role::none;
  replica_count allowed = replica_count::any;
  bool required = false; ///< A job without it is invalid.
  bool may_fail_if_dynamic =
      false; ///< With enableDynamicWorker, its failures do not fail the job.
  bool indexed = true; ///< Its name and labels contain an index.
  /// There is a warning if the pod template names a restart policy.
  bool warns_of_template_restart_policy = true;
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
  /// Message of the event when {count} failed pods of a type that is not the
  /// chief were evicted; "": no event.
  const char* evicted = "";
  /// Messages of events, before the others, when the chief type has succeeded
  /// (the reason begins with the kind's plural) or failed permanently (the
  /// reason is that of the pod, if it has one); "": no event.
  const char* chief_succeeded = "";
  const char* chief_failed = "";
};

/// One error in a job, with the text of training-operator v1's webhooks.
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

struct reconcile_context;

/// A job kind: one row of the registry. Plain data and pure functions. A
/// difference between kinds is a field here, never an `if` in the core.
struct framework {
  k8s::resource type;              ///< kubeflow.org/v1 tfjobs TFJob.
  const char* singular = "";       ///< "tfjob".
  const char* name = "";           ///< "tensorflow": the metrics' label.
  const char* spec_field = "";     ///< "tfReplicaSpecs".
  const char* replicas_field = ""; ///< Where messages say the replicas are. "":
                                   ///< `spec_field`.
  const char* controller = "";     ///< "tfjob-controller".
  const char* container = "";      ///< Default container's name.
  const char* port_name = "";
  std::int32_t port = 0; ///< 0: no port is added to a container.
  restart_policy default_restart_policy = restart_policy::never;
  std::vector<replica_rule> replicas; ///< In order of evaluation.
  label_keys labels;
  /// The name of an indexed child ends with random characters instead of a
  /// number (see suffix_of_index): such pods are created on request.
  bool random_names = false;
  /// The label selector of lists and watches of such jobs; "": all of them.
  const char* watch_selector = "";

  // What a job may contain.
  bool case_insensitive_types = false; ///< Type names are case-insensitive.
  /// Pods are created for unknown types.
  bool allows_unknown_types = false;
  /// What is said of them; nullptr: they do not affect the job's conditions.
  const replica_rule* unknown_types = nullptr;
  bool allows_one_chief_only =
      false; ///< At most one type of chief_rule::if_present.
  /// If no container has the default name, the first one is used.
  bool allows_any_container_name = false;
  bool allows_dotted_names =
      false; ///< The job's name may be a DNS subdomain, not only a label.
  bool quotes_container_in_errors =
      false; ///< A validation error quotes the container's name.
  /// Whether the job has one worker and no scheduler or server (MXNet), so that
  /// each type of chief_rule::if_single_process is a chief. nullptr: never.
  bool (*is_single_process)(const job& j) = nullptr;

  // What a job has.
  bool services = true; ///< Each replica has a headless service.
  /// Instead, each pod has a service of its name, made from the pod that was
  /// seen, for as long as the pod exists.
  bool services_from_pods = false;
  /// What pod_details has is kept of each pod, although no service is made from
  /// it.
  bool keeps_pod_details = false;
  bool counts_ready_pods = false;        ///< child_view::ready is needed.
  bool writes_status_selector = false;   ///< For the scale subresource.
  bool keeps_template_finalizers = true; ///< Pods have their template's.
  env_scope scope = env_scope::every_container;

  // How a job ends.
  /// A failed pod is replaced under OnFailure and Always. (Under ExitCode, by
  /// its code, for every kind.)
  bool replaces_pods_on_failure = true;
  /// A failed pod that the cluster disrupted is replaced, whatever the restart
  /// policy.
  bool replaces_disrupted_pods = true;
  /// Grace period of deleted children; nullopt: their own.
  std::optional<int> delete_grace_seconds = {};
  /// Condition Running is set before Succeeded, Failed or Restarting.
  bool sets_running_before_end = false;
  /// A permanent exit code causes an event with the framework's message, too.
  bool adds_own_event_on_permanent_failure = false;
  /// When the chief has finished, the replica statuses of the other types are
  /// reset.
  bool clears_follower_counts_at_end = false;
  /// A pod has ended when its default container has: the others may run on.
  bool main_container_decides = false;
  const char* failed_reason_suffix = "Failed"; ///< Of the condition's reason,
                                               ///< when a replica has failed.

  // Events and messages.
  const char* event_source = "";   ///< "": `controller`.
  const char* metrics_source = ""; ///< Of reconciles. "": `controller`.
  /// nullptr: the training operator's.
  const child_event_texts* child_events = nullptr;
  bool emits_exit_events =
      true; ///< Emits an event when a pod's main container exits.
  /// Noun in the reason of the event when a job is deleted after its TTL
  /// (SuccessfulDelete<noun>, FailedDelete<noun>).
  const char* delete_event_noun = "Job";
  /// Verb in the reason of warnings about templates: "Set" or "Setted".
  const char* template_warning_verb = "Set";
  message_templates messages_with_chief;    ///< When has_chief().
  message_templates messages_without_chief; ///< Else.

  /// The environment of one replica's containers (see `scope`).
  std::vector<env_var> (*environment)(const job& j, const slot& at,
                                      const cluster_options& cluster) = nullptr;

  /// Adds to the `spec` of a pod that is otherwise complete (init containers,
  /// volumes, ...). nullptr: nothing.
  void (*customize_pod_spec)(nlohmann::json& spec, const job& j, const slot& at,
                             const cluster_options& cluster) = nullptr;
  /// What its init containers wait for: "the master's name to resolve".
  const char* own_init_containers_wait_for = "";

  /// The auxiliary objects that an unfinished job should have now. nullptr:
  /// none.
  std::vector<auxiliary_object> (*auxiliary_objects)(
      const job& j, const observed_children& seen,
      const cluster_options& cluster) = nullptr;
  std::vector<child_kind> auxiliary_kinds; ///< The kinds that these may have.

  // What replaces a part of the core, for a kind whose jobs are no map of
  // replica types. nullptr: the core's own, as the other kinds have it.

  status_format status;

  /// Decides what one reconcile does, for a job that is not being deleted.
  void (*reconcile_job)(reconcile_context& ctx,
                        const observed_children& seen) = nullptr;

  /// Reads `spec` into the job: policy, replicas, settings.
  void (*read_spec)(job& out, const nlohmann::json& spec) = nullptr;

  /// The body of the pod for one slot, JSON text.
  k8s::result<std::string> (*make_pod)(
      const job& j, const slot& at, const cluster_options& cluster) = nullptr;

  /// All errors of a job, in place of the rules for a map of replica types.
  std::vector<field_error> (*find_job_errors)(
      const std::string& name, const nlohmann::json& spec) = nullptr;

  /// Rules beyond the fields above, for `spec` as the user wrote it. nullptr:
  /// none.
  std::vector<field_error> (*find_spec_errors)(const nlohmann::json& spec) =
      nullptr;

  /// How many bytes the names of all replicas take in each pod's environment.
  /// nullptr: pods do not have them.
  std::size_t (*listed_names_bytes)(const job& j) = nullptr;

  /// What the kind adds to find_limit_errors. nullptr: nothing.
  std::vector<field_error> (*find_own_limit_errors)(const job& j) = nullptr;

  /// Warnings for the user who writes the job: deprecated fields. nullptr:
  /// none.
  std::vector<std::string> (*find_spec_warnings)(const nlohmann::json& spec) =
      nullptr;

  /// A framework-specific message for an invalid `spec`, used instead of field
  /// errors. "" or nullptr: the field errors are used.
  std::string (*describe_invalid_spec)(const nlohmann::json& spec) = nullptr;

  // Who writes a job.
  admission_webhook validating; ///< Empty: as the training operator names it.
  admission_webhook mutating;
  /// What the mutating webhook sets in `spec`.
  void (*set_defaults)(nlohmann::json& spec) = nullptr;
  /// An error of its own wording for who writes the job, reported alone; ""
  /// if there is none.
  std::string (*find_write_error)(const nlohmann::json& spec) = nullptr;
  /// A denial has its text as the reason, and no message.
  bool denies_by_reason = false;

  /// Begins to carry out a request that one of the job's pods has made; it is
  /// of the type that the kind derives from job_request. nullptr: this kind
  /// takes no requests.
  std::unique_ptr<request_execution> (*begin_request)(
      const std::shared_ptr<const job_request>& request) = nullptr;

  /// By label ("worker"), or nullptr.
  const replica_rule* find_rule_by_label(const std::string& label) const;
  /// By type as a user may spell it ("Worker"), or nullptr.
  const replica_rule* find_rule_by_type(const std::string& spelled) const;
  bool is_indexed(const std::string& label) const;
  /// What events and metrics name as their source.
  const char* effective_event_source() const;
  const char* effective_metrics_source() const;
};

/// Whether the job has a replica of a type of chief_rule::if_present. A type
/// with no replicas is not there.
bool has_chief(const job& j);

/// Whether the success of this type decides the success of the job. Types that
/// the framework does not define are never chief.
bool is_chief(const job& j, const replica_rule& rule);

/// The messages that fit the job.
const message_templates& message_templates_for(const job& j);

/// How much of a child of such a job must be known to reconcile it.
k8s::object_detail reconcile_detail_of(const framework& f, child_kind c);
/// How much of it a watcher keeps.
k8s::object_detail watched_detail_of(const framework& f, child_kind c);

/// Replaces each placeholder by its value.
std::string fill_placeholders(
    std::string_view phrase,
    const std::vector<std::pair<std::string, std::string>>& values);

/// Fills the placeholders of a message.
std::string fill_template(const char* phrase, const job& j,
                          std::int32_t count = 0, const std::string& type = {});

} // namespace troupe::core
