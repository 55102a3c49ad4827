#pragma once

#include "frameworks/core/base/shared_value.hpp"
#include "frameworks/core/model/failure_policy.hpp"
#include "frameworks/core/progress/progress_policy.hpp"
#include "k8s/objects.hpp"
#include "k8s/result.hpp"

#include <nlohmann/json_fwd.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe::core {

using k8s::time_point;
using std::chrono::seconds;

struct framework;

/// One error in a job, with the text of training-operator v1's webhooks.
struct field_error {
  std::string field; ///< "spec.tfReplicaSpecs[Worker].replicas".
  std::string text;  ///< "Forbidden: must be at least 1".
};

/// What happens to a replica whose pod ended in failure.
enum class restart_policy : std::uint8_t {
  never,
  on_failure,
  always,
  exit_code, ///< Codes >= 128 restart, others fail the job.
  other,     ///< Unknown; the API server will reject the pod.
};

/// As manifests spell it: "OnFailure".
restart_policy parse_restart_policy_or_other(const std::string& text);

/// Which children are deleted when the job has finished.
enum class clean_pod_policy : std::uint8_t { none, running, all };

/// spec.runPolicy.schedulingPolicy, as gang schedulers want it.
struct scheduling_policy {
  std::optional<std::int32_t> min_available;
  std::string queue;
  std::string min_resources; ///< JSON text of the map, "" if absent.
  std::string priority_class;
  std::optional<std::int32_t> schedule_timeout_seconds;
};

/// Within which part of the network Volcano places pods.
struct network_topology {
  bool hard = true; ///< Else as near as possible.
  std::optional<std::int32_t> highest_tier;
  std::string highest_tier_name; ///< In place of the number; "" if absent.
};

/// How the pods of a replica type are divided for Volcano.
struct sub_group_policy {
  std::string type;                 ///< Its label: "worker".
  std::optional<std::int32_t> size; ///< nullopt: all of them are one group.
  std::optional<std::int32_t> least_groups;
  std::optional<network_topology> topology;
};

/// What only Volcano's groups have, from annotations of the job.
struct volcano_policy {
  std::optional<network_topology> topology;
  std::vector<sub_group_policy> sub_groups;

  /// nullptr: pods of this type are not divided.
  const sub_group_policy* find(const std::string& label) const;
};

/// What annotations of the job say of its PodGroup of Kubernetes.
struct gang_annotations {
  std::string topology; ///< A label of nodes; "": none.
  /// Whether all its pods are preempted with one; nullopt: not said.
  std::optional<bool> disrupts_all;
};

/// spec.runPolicy with defaults applied.
struct run_policy {
  clean_pod_policy clean = clean_pod_policy::none;
  std::optional<seconds> ttl_after_finished;
  std::optional<seconds> active_deadline;
  std::optional<std::int32_t> backoff_limit;
  bool suspend = false;
  std::optional<std::string> managed_by;
  std::optional<scheduling_policy> scheduling;
  shared_value<gang_annotations> gang;
  std::shared_ptr<const failure_policy> failure; ///< nullptr: none.
  std::optional<success_policy> success;
  progress_policy progress;
  std::shared_ptr<const volcano_policy> volcano; ///< nullptr: none.
};

struct container_port {
  std::string name;
  std::int32_t port = 0;
  std::string protocol = {}; ///< "": TCP.

  bool is_tcp() const { return protocol.empty() || protocol == "TCP"; }
};

/// Names of containers.
using own_containers = shared_value<std::vector<std::string>>;

/// One entry of the replica map, with defaults applied.
struct replica_spec {
  std::string type;  ///< As status and messages spell it: "Worker".
  std::string label; ///< As names and labels spell it: "worker".
  std::int32_t replicas = 1;
  restart_policy restart = restart_policy::never;
  std::string restart_text;   ///< As given or defaulted, for the pod.
  std::string pod_template;   ///< JSON text, default port appended.
  std::string main_container; ///< Name of the one the framework means.
  /// Init containers that the kind adds to the pod.
  own_containers own_init_containers;
  bool has_default_container = false; ///< It has the framework's name.
  /// Its pods may run without being ready: a probe or gate decides.
  bool has_readiness_check = false;
  std::vector<container_port> ports;   ///< Of the default container.
  std::string template_restart_policy; ///< "" if the template names none.
  std::string template_scheduler;      ///< "" if the template names none.
  std::string template_priority_class; ///< Likewise.
  /// The template names a PodGroup of Kubernetes itself.
  bool has_own_scheduling_group = false;

  /// The port with this name, or `otherwise`.
  std::int32_t port(const std::string& name, std::int32_t otherwise) const;
};

/// One job as the user specified it. Immutable; a changed spec creates a new
/// value. Contains nothing about what has happened so far: that is job_status.
struct job {
  const framework* kind = nullptr;
  std::string ns;
  std::string name;
  std::string uid;
  std::int64_t generation = 0;
  bool deleting = false;   ///< It has a deletion timestamp.
  std::string annotations; ///< JSON text of the map; "" if there are none.
  std::string queue;       ///< Of Kueue, by the job's label; "" if none.
  /// JSON text: its labels and annotations that Kueue reads, "" if none.
  std::string queue_settings;
  /// Another object controls it that Kueue may queue in its place.
  bool may_be_queued_by_controller = false;
  std::string spec_manager; ///< Who wrote the spec last; "" if unknown.
  /// Why the job is left to another operator, "" if it is not. No part of the
  /// job: its supervisor knows it.
  std::string left_to_other;
  run_policy policy;
  /// In the framework's order of types; unknown types follow, by name.
  std::vector<replica_spec> replicas;
  std::string success_policy;   ///< TFJob: "" or "AllWorkers".
  bool dynamic_workers = false; ///< TFJob: enableDynamicWorker.
  bool elastic_policy = false;  ///< spec.elasticPolicy is there.
  /// JSON text of the spec's other fields (elasticPolicy and the like), "{}" if
  /// there are none.
  std::string settings;
  /// Why it cannot be run (see validation.hpp), "" if it can. The fields that
  /// could be read are set all the same.
  std::string validation_error;
  /// Why it must not begin (see limits.hpp), "" if it may. A job that has begun
  /// goes on.
  std::string limit_error;
  /// What is wrong with its policies on failures, success, progress and
  /// topology. It is one of the limits, too; a job that has begun goes on with
  /// the rest of the policy.
  std::vector<field_error> policy_errors;
  /// The annotations from which they were read, as one text.
  std::string policy_texts;

  /// By label ("worker"), or nullptr.
  const replica_spec* find_replica_spec(const std::string& label) const;
  /// Whether it has a replica of the type with this label. A type with no
  /// replicas is not there.
  bool has_replicas_of(const std::string& label) const;
  std::int32_t total_replicas() const;

  /// Its policy on failures, or one that says nothing.
  const failure_policy& failure_policy_or_default() const;
};

using job_ptr = std::shared_ptr<const job>;

} // namespace troupe::core
