// JAXJob, as training-operator v1.9 runs it: workers only; the first is the
// coordinator of the distributed runtime.

#include "frameworks/core/model/names.hpp"
#include "frameworks/registry.hpp"
#include "frameworks/rules.hpp"

namespace troupe::frameworks {

using namespace core;

namespace {

std::vector<env_var> jax_environment(const job& j, const slot& at,
                                     const cluster_options&) {
  return {{"PYTHONUNBUFFERED", "1"},
          {"COORDINATOR_PORT",
           std::to_string(port_of_type_or_default(j, "worker"))},
          {"COORDINATOR_ADDRESS", child_name(j, {"worker", 0})},
          {"NUM_PROCESSES", std::to_string(j.total_replicas())},
          {"PROCESS_ID", std::to_string(at.index)}};
}

replica_rule jax_worker() {
  auto r = make_follower_rule("Worker", "worker");
  r.chief = chief_rule::if_present;
  r.role = master_role::first;
  return r;
}

} // namespace

framework jax() {
  framework f;
  f.names = names_of_v1_kind("JAXJob", "jax", "jaxReplicaSpecs");
  f.replicas = {jax_worker()};
  f.pods.container = "jax";
  f.pods.port_name = "jaxjob-port";
  f.pods.port = 6666;
  f.pods.writes_status_selector = true;
  f.messages.delete_event_noun = "Pod";
  f.messages.with_chief = messages_with_namespace();
  f.messages.without_chief = f.messages.with_chief;
  f.hooks.environment = jax_environment;
  return f;
}

} // namespace troupe::frameworks
