#pragma once

#include "frameworks/core/model/framework.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace troupe::core {

/// Appends the variables to the container's `env`, except those that the
/// template sets, because its author knows better.
void append_missing_variables(nlohmann::json& container,
                              const std::vector<env_var>& variables);

/// Records in the job which init containers its kind adds to the pods of each
/// replica type, because they are no part of the user's program.
void record_own_init_containers(job& j, const cluster_options& cluster);

/// The entry of metadata.ownerReferences that makes the job the controller.
nlohmann::json controller_reference(const job& j);

/// Whether such a pod may run without being ready: a container, or a sidecar,
/// has a readiness probe, a container a startup probe, or the pod a readiness
/// gate.
bool has_readiness_check(const nlohmann::json& pod_template);

/// Whether the pod of this slot has the label job-role: master.
bool has_master_role(const job& j, const slot& at);

/// The body of the pod for one slot, JSON text: labels, owner, environment and
/// restart policy as training-operator v1 sets them. If several consecutive
/// pods failed early there, it has an annotation with their number (see
/// `delayed_replacement_time_if_any`); a single failure makes no difference.
/// With an attempt, it says of which it is (set_pod_attempt()). If the job's
/// policy must see failures, its kubelet does not restart containers.
/// ec::invalid if the template is not usable.
k8s::result<std::string>
make_pod_json(const job& j, const slot& at, const cluster_options& cluster,
              std::int32_t early_failures = 0,
              std::optional<std::int32_t> attempt = {});

/// The restart policy of the pods of a type, as its kubelet knows it.
std::string pod_restart_policy(const job& j, const replica_spec& spec);

/// The body of the headless service for one slot, JSON text; it publishes the
/// addresses of pods that are not ready if a readiness check holds them back,
/// since others may wait for its name before they let it become ready. (Without
/// a check, a record means that the main container has started.) ec::invalid if
/// no container has the default name ("failed to find the port").
k8s::result<std::string> make_service_json(const job& j, const slot& at);

/// The events of training-operator v1 when a pod is created from a template
/// that sets fields of the operator (SetPodTemplateRestartPolicy,
/// SetPodTemplateSchedulerName).
std::vector<job_event> pod_template_warnings(const job& j, const slot& at,
                                             const cluster_options& cluster);

/// The metadata of an object beside pods and services, owned by the job.
nlohmann::json auxiliary_metadata(const job& j, const auxiliary_object& b);

/// The whole object; null if `b` has no body.
nlohmann::json make_auxiliary_object(const job& j, const auxiliary_object& b);

/// The same as JSON text; ec::bug if `b` has no body.
k8s::result<std::string> make_auxiliary_json(const job& j,
                                             const auxiliary_object& b);

/// A merge patch that annotates the pod with that UID with the number of those
/// that failed before it.
std::string early_failures_annotation_patch(std::int32_t count,
                                            const std::string& pod_uid);

/// Strategic merge patches that make the job the controller of an orphan, or
/// release a child; other owner references are kept. Both only apply to the
/// object with that UID.
std::string adoption_patch(const job& j, const std::string& child_uid);
std::string release_patch(const job& j, const std::string& child_uid);

} // namespace troupe::core
