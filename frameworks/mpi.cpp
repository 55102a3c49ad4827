// MPIJob (v1), as training-operator v1.9 runs it: workers that sleep, and a
// launcher that starts ranks on them through `kubectl exec`.

#include "frameworks/core/base/json.hpp"
#include "frameworks/mpi_parts.hpp"
#include "frameworks/mpi_versions.hpp"
#include "frameworks/registry.hpp"
#include "frameworks/rules.hpp"

namespace troupe::frameworks {

using namespace core;

namespace {

std::vector<field_error> mpi_container_name_errors(const json& spec) {
  std::vector<field_error> result;
  const auto& types = value_at(spec, {"mpiReplicaSpecs"});
  if (!types.is_object())
    return result;
  for (const auto& [type, r] : types.items()) {
    const auto& list = value_at(r, {"template", "spec", "containers"});
    for (std::size_t i = 0; list.is_array() && i < list.size(); ++i)
      if (text_at(list[i], {"name"}).empty())
        result.push_back({"spec.mpiReplicaSpecs[" + type
                              + "].template.spec.containers["
                              + std::to_string(i) + "].name",
                          "Required value: must be required"});
  }
  return result;
}

/// The check and the messages of training-operator v1.
std::string describe_invalid_replicas(const std::string& type, const json& r) {
  const auto& containers = value_at(r, {"template", "spec", "containers"});
  if (!containers.is_array() || containers.empty())
    return "MPIReplicaSpecs is not valid: containers definition expected in "
           + type;
  if (type != "Launcher" && type != "Worker")
    return "MPIReplicaType is " + type
           + " but must be one of [Launcher Worker]";
  for (const auto& c : containers) {
    if (text_at(c, {"image"}).empty())
      return "MPIReplicaSpec is not valid: Image is undefined in the container "
             "of "
             + type;
    if (text_at(c, {"name"}).empty())
      return "MPIReplicaSpec is not valid: ImageName is undefined in the "
             "container of "
             + type;
  }
  const auto& replicas = value_at(r, {"replicas"});
  if (type == "Launcher" && !replicas.is_null() && replicas != 1)
    return "MPIReplicaSpec is not valid: There must be only 1 launcher replica";
  return {};
}

std::string describe_invalid_spec(const json& spec) {
  const auto& types = value_at(spec, {"mpiReplicaSpecs"});
  if (!types.is_object())
    return "MPIReplicaSpecs is not valid";
  for (const auto& [type, r] : types.items())
    if (auto wrong = describe_invalid_replicas(type, r); !wrong.empty())
      return wrong;
  if (value_at(types, {"Launcher"}).is_null())
    return "MPIReplicaSpec is not valid: Master ReplicaSpec must be present";
  return {};
}

replica_rule mpi_launcher() {
  auto r = make_chief_rule("Launcher", "launcher");
  r.allowed = replica_count::one_or_unset;
  r.required = true;
  r.indexed = false;
  r.created_last = true;
  r.created_reason = "MPIJobRunning";
  r.created_message_prefix = "launcher pod created success: ";
  r.create_failed_reason = "MPIJobFailed";
  r.create_failed_message_prefix = "launcher pod created failed: ";
  return r;
}

replica_rule mpi_worker() {
  auto r = make_follower_rule("Worker", "worker");
  r.default_replicas = 0;
  r.warns_of_template_restart_policy = false;
  r.created_message_prefix = "Created worker pod: ";
  return r;
}

} // namespace

framework mpi() {
  framework f;
  f.names = names_of_v1_kind("MPIJob", "mpi", "mpiReplicaSpecs");
  f.names.born_as = "v1";
  f.replicas = {mpi_launcher(), mpi_worker()};
  f.accepted.allows_any_container_name = true;
  f.accepted.allows_dotted_names = true;
  f.accepted.find_spec_errors = mpi_container_name_errors;
  f.accepted.find_own_limit_errors = mpi_config_map_size_errors;
  f.accepted.describe_invalid_spec = describe_invalid_spec;
  f.accepted.find_spec_warnings = warn_of_v2beta1_fields;
  f.pods.container = "mpi";
  f.pods.port_name = "mpi-port";
  f.pods.services = false;
  f.pods.keeps_template_finalizers = false;
  f.ending.replaces_pods_on_failure = false;
  f.ending.clears_follower_counts_at_end = true;
  f.messages.failed_reason_suffix =
      "MPIJobFailed"; // The kind twice, as in training-operator v1.
  f.messages.template_warning_verb = "Setted";
  f.messages.emits_exit_events = false;
  f.messages.with_chief = messages_with_name();
  f.messages.with_chief.all_running = "{kind} {ns}/{name} is running";
  f.messages.with_chief.evicted = "{count}/{type} workers are evicted";
  f.messages.with_chief.chief_succeeded =
      "{kind} {ns}/{name} successfully completed.";
  f.messages.with_chief.chief_failed = "{kind} {ns}/{name} has failed";
  f.messages.without_chief = f.messages.with_chief;
  f.hooks.customize_pod_spec = customize_mpi_pod_spec;
  f.hooks.own_init_containers_wait_for = "kubectl and the workers";
  f.hooks.auxiliary_objects = mpi_auxiliary_objects;
  f.hooks.auxiliary_kinds = {child_kind::config_map,
                             child_kind::service_account, child_kind::role,
                             child_kind::role_binding};
  return f;
}

} // namespace troupe::frameworks
