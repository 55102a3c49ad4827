// MPIJob (v1), as training-operator v1.9 runs it: workers that sleep, and a
// launcher that starts ranks on them through `kubectl exec`.

#include "frameworks/core/json_reading.hpp"
#include "frameworks/mpi_parts.hpp"
#include "frameworks/registry.hpp"
#include "frameworks/rules.hpp"

namespace troupe::frameworks {

using namespace core;

namespace {

std::vector<field_error> check(const json& spec) {
  std::vector<field_error> result;
  const auto& types = member(spec, "mpiReplicaSpecs");
  if (!types.is_object())
    return result;
  for (const auto& [type, r] : types.items()) {
    const auto& list =
        member(member(member(r, "template"), "spec"), "containers");
    for (std::size_t i = 0; list.is_array() && i < list.size(); ++i)
      if (text_or(member(list[i], "name")).empty())
        result.push_back({"spec.mpiReplicaSpecs[" + type
                              + "].template.spec.containers["
                              + std::to_string(i) + "].name",
                          "Required value: must be required"});
  }
  return result;
}

replica_rule launcher() {
  auto r = leader("Launcher", "launcher");
  r.allowed = replica_count::one_or_unset;
  r.required = true;
  r.indexed = false;
  r.made_reason = "MPIJobRunning";
  r.made_words = "launcher pod created success: ";
  return r;
}

replica_rule worker() {
  auto r = follower("Worker", "worker");
  r.default_replicas = 0;
  r.made_words = "Created worker pod: ";
  return r;
}

} // namespace

framework mpi() {
  framework f;
  f.type = {"kubeflow.org", "v1", "mpijobs", "MPIJob"};
  f.singular = "mpijob";
  f.name = "mpi";
  f.spec_field = "mpiReplicaSpecs";
  f.controller = "mpijob-controller";
  f.container = "mpi";
  f.port_name = "mpi-port";
  f.default_restart = restart_policy::never;
  f.replicas = {launcher(), worker()};
  f.any_container = true;
  f.dotted_names = true;
  f.services = false;
  f.replaces_failed = false;
  f.end_clears_counts = true;
  f.failed_suffix = "MPIJobFailed"; // The kind twice, as ever.
  f.set_word = "Setted";
  f.tells_exits = false;
  f.led = words_by_name();
  f.led.complete = "{kind} {ns}/{name} is running";
  f.led.evicted = "{count}/{type} workers are evicted";
  f.unled = f.led;
  f.furnish = furnish_mpi_pod;
  f.belongings = mpi_belongings;
  f.belonging_kinds = {child::config_map, child::service_account, child::role,
                       child::role_binding};
  f.check = check;
  return f;
}

} // namespace troupe::frameworks
