#pragma once

#include "frameworks/core/model/job.hpp"
#include "frameworks/core/model/labels.hpp"
#include "frameworks/core/model/replica_rule.hpp"
#include "k8s/objects.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace troupe::core {

/// Chapter: what a kind, its fields and its children are called. Read wherever
/// an object is named, watched or recognized.
struct kind_names {
  k8s::resource type;          ///< kubeflow.org/v1 tfjobs TFJob.
  std::string singular;        ///< "tfjob".
  const char* short_name = ""; ///< "tensorflow": the metrics' label.
  const char* spec_field = ""; ///< "tfReplicaSpecs".
  /// Where messages say the replicas are. "": `spec_field`.
  const char* replicas_field = "";
  std::string controller; ///< "tfjob-controller".
  /// The value of runPolicy.managedBy of jobs that are ours, as without it.
  const char* managed_by = "kubeflow.org/training-operator";
  label_keys labels;
  /// The name of an indexed child ends with random characters instead of a
  /// number (see letter_suffix_of_index): such pods are created on request.
  bool random_names = false;
  /// The value of `spec.createdAs` of its jobs, for a kind whose versions have
  /// one definition without conversion; a job without the field is of the
  /// version in which it was read. "": the kind has no such field.
  const char* born_as = "";
  /// The pods of one type are made by a batch/v1 Job of the job's, so that Job
  /// is their controller; the job is known by their labels. "": none.
  const char* type_made_by_job = "";
  /// The label selector of lists and watches of such jobs; "": all of them.
  const char* watch_selector = "";
  /// The Lease of another operator for such jobs: while somebody holds it, they
  /// are left to that one. "": there is none.
  const char* other_operator_lease = "";
};

/// Chapter: which jobs are valid. Read by validation (spec/validation,
/// spec/limits) and where a job is read (spec/job_reading).
struct accepted_jobs {
  bool case_insensitive_types = false; ///< Type names are case-insensitive.
  /// Pods are created for unknown types.
  bool allows_unknown_types = false;
  /// The rule for these types; nullptr: they do not affect the job's
  /// conditions.
  const replica_rule* unknown_types = nullptr;
  /// At most one type of chief_rule::if_present.
  bool allows_one_chief_only = false;
  /// If no container has the default name, the first one is used.
  bool allows_any_container_name = false;
  /// The job's name may be a DNS subdomain, not only a label.
  bool allows_dotted_names = false;
  /// A validation error quotes the container's name.
  bool quotes_container_in_errors = false;

  /// Rules beyond these fields, for `spec` as the user wrote it. nullptr: none.
  std::vector<field_error> (*find_spec_errors)(const nlohmann::json& spec) =
      nullptr;
  /// What the kind adds to find_limit_errors. nullptr: nothing.
  std::vector<field_error> (*find_own_limit_errors)(const job& j) = nullptr;
  /// Warnings for the user who writes the job: deprecated fields. nullptr:
  /// none.
  std::vector<std::string> (*find_spec_warnings)(const nlohmann::json& spec) =
      nullptr;
  /// A framework-specific message for an invalid `spec`, used instead of field
  /// errors. "" or nullptr: the field errors are used.
  std::string (*describe_invalid_spec)(const nlohmann::json& spec) = nullptr;
};

/// Chapter: what pods and services a job has, and how much of them is watched.
/// Read where pods are made (spec/pod_template), by the steps of a pass and by
/// watchers.
struct pod_rules {
  const char* container = ""; ///< Default container's name.
  const char* port_name = "";
  std::int32_t port = 0; ///< 0: no port is added to a container.
  bool services = true;  ///< Each replica has a headless service.
  /// Instead, each pod has a service of its name, made from the pod that was
  /// seen, for as long as the pod exists.
  bool services_from_pods = false;
  /// What pod_details has is kept of each pod, although no service is made from
  /// it.
  bool keeps_pod_details = false;
  /// The attempt and the trouble of each pod are known: a job can be restarted
  /// as a whole.
  bool keeps_trouble = true;
  bool counts_ready_pods = false; ///< child_view::ready is needed.
  /// The pod's condition that makes it ready.
  const char* ready_condition = "ContainersReady";
  bool writes_status_selector = false; ///< For the scale subresource.
  /// With gang scheduling, pods have the gang's scheduler although their
  /// template names another.
  bool overwrites_scheduler = false;
  bool keeps_template_finalizers = true; ///< Pods have their template's.
  /// Grace period of deleted children; nullopt: their own.
  std::optional<int> delete_grace_seconds = {};
};

/// Chapter: what the end of a pod means for the job. Read by the steps of a
/// pass that classify failures, restart and complete (observed/failures,
/// pass/completion).
struct ending_rules {
  /// Of a type whose spec names none.
  restart_policy default_restart_policy = restart_policy::never;
  /// A failed pod is replaced under OnFailure and Always. (Under ExitCode, by
  /// its code, for every kind.)
  bool replaces_pods_on_failure = true;
  /// A failed pod that the cluster disrupted is replaced, whatever the restart
  /// policy.
  bool replaces_disrupted_pods = true;
  /// A pod has ended when its default container has: the others may run on.
  bool main_container_decides = false;
  /// Whether the job has one worker and no scheduler or server (MXNet), so that
  /// each type of chief_rule::if_single_process is a chief. nullptr: never.
  bool (*is_single_process)(const job& j) = nullptr;
  /// Condition Running is set before Succeeded, Failed or Restarting.
  bool sets_running_before_end = false;
  /// When the chief has finished, the replica statuses of the other types are
  /// reset.
  bool clears_follower_counts_at_end = false;
};

} // namespace troupe::core
