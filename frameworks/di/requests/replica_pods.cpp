#include "frameworks/di/requests/replica_pods.hpp"

#include <algorithm>
#include <charconv>

namespace troupe::frameworks::di {

using k8s::array_at;
using k8s::json;
using k8s::text_at;
using k8s::value_at;

namespace {

/// Fields that the server sets for one pod.
constexpr const char* metadata_of_one_pod[] = {
    "name",          "uid",
    "generation",    "resourceVersion",
    "selfLink",      "creationTimestamp",
    "generateName",  "deletionTimestamp",
    "managedFields", "deletionGracePeriodSeconds"};

pod_order replica_pod_order(const core::job& j, const char* role,
                            const std::string& name,
                            const core::cluster_options& cluster) {
  pod_order order;
  order.role = role;
  order.name = name;
  order.server_address = cluster.di_server_address;
  const char* section = role == role::ddp_learner ? role::learner : role;
  if (const auto* spec = j.find_replica_spec(section))
    order.pod_template = spec->pod_template;
  return order;
}

const json& main_container_or_null(const json& pod) {
  const auto& all = array_at(pod, {"spec", "containers"});
  auto i = std::find_if(all.begin(), all.end(), [](const json& c) {
    return text_at(c, {"name"}) == main_container;
  });
  static const json none;
  return i == all.end() ? none : *i;
}

void replace_env_var_if_set(json& container, const std::string& name,
                            const std::string& value) {
  if (!container.is_object() || !container.contains("env")
      || !container["env"].is_array())
    return;
  for (auto& variable : container["env"])
    if (text_at(variable, {"name"}) == name)
      variable = {{"name", name}, {"value", value}};
}

std::string container_limit_or_request(const json& container,
                                       const char* name) {
  for (const char* side : {"limits", "requests"}) {
    const auto& amount = value_at(container, {"resources", side, name});
    if (amount.is_string())
      return amount.get<std::string>();
    if (amount.is_number())
      return k8s::to_text(amount);
  }
  return "";
}

} // namespace

k8s::result<complete_pod> make_collector_or_learner_pod(
    const core::job& j, const char* role, const std::string& name,
    const replica_amount& wanted, const core::cluster_options& cluster) {
  auto order = replica_pod_order(j, role, name, cluster);
  order.resources = {wanted.cpus, wanted.memory, wanted.gpus};
  return make_pod(j, order);
}

k8s::result<complete_pod>
make_aggregator_pod(const core::job& j, const std::string& name,
                    const std::string& config,
                    const core::cluster_options& cluster) {
  auto order = replica_pod_order(j, role::aggregator, name, cluster);
  auto object = k8s::parse_json_or_null(config);
  order.pod_template =
      k8s::to_text(value_at(object, {"spec", "aggregator", "template"}));
  order.has_job_volumes = false;
  return make_pod(j, order);
}

k8s::result<complete_pod>
make_ddp_learner_pod(const core::job& j, const std::string& name,
                     const ddp_learner& what, const replica_amount& wanted,
                     const core::cluster_options& cluster) {
  auto order = replica_pod_order(j, role::ddp_learner, name, cluster);
  bool is_master = what.master.empty();
  const auto& slice = what.slice;
  order.resources = {wanted.cpus, wanted.memory, std::to_string(slice.gpus)};
  order.variables = {{"WORLD_SIZE", std::to_string(slice.world_size)},
                     {"LOCAL_WORLD_SIZE", std::to_string(slice.gpus)},
                     {"START_RANK", std::to_string(slice.start_rank)},
                     {"MASTER_ADDR", is_master ? "localhost" : what.master},
                     {"MASTER_PORT", std::to_string(master_port_number)}};
  auto port = declared_port_or_default(
      k8s::parse_json_or_null(order.pod_template), role::ddp_learner);
  for (std::int32_t i = 1; i < slice.gpus; ++i)
    order.ports.push_back({gpu_port_prefix + std::to_string(i), port + i});
  if (!what.is_alone) {
    if (is_master)
      order.ports.push_back({master_port, master_port_number});
    order.labels[ddp_learner_type] =
        is_master ? ddp_learner_master : ddp_learner_worker;
  }
  order.owners.push_back(
      {"v1", "Pod", what.aggregator.name, what.aggregator.uid, false});
  return make_pod(j, order);
}

complete_pod make_replacement_pod(const json& old, const std::string& name,
                                  const std::string& master) {
  auto pod = old;
  pod["apiVersion"] = "v1";
  pod["kind"] = "Pod";
  pod.erase("status");
  auto& meta = k8s::ensure_object(pod, "metadata");
  for (const char* field : metadata_of_one_pod)
    meta.erase(field);
  meta["name"] = name;
  k8s::ensure_object(meta, "labels")["pod-name"] = name;
  auto& spec = k8s::ensure_object(pod, "spec");
  spec.erase("nodeName");
  for (auto& container : k8s::ensure_array(spec, "containers")) {
    replace_env_var_if_set(container, "KUBERNETES_POD_NAME", name);
    if (!master.empty())
      replace_env_var_if_set(container, "MASTER_ADDR", master);
  }
  auto role = text_at(pod, {"metadata", "labels", "replica-type"});
  return {k8s::to_text(pod), declared_port_or_default(pod, role)};
}

bool is_ddp_master(const json& pod) {
  return text_at(pod, {"metadata", "labels", ddp_learner_type})
         == ddp_learner_master;
}

replica_amount logic_learner_amount_from_pod(const json& pod) {
  replica_amount result;
  const auto& container = main_container_or_null(pod);
  for (const auto& variable : array_at(container, {"env"}))
    if (text_at(variable, {"name"}) == "WORLD_SIZE")
      result.gpus = text_at(variable, {"value"});
  const char* end = result.gpus.data() + result.gpus.size();
  auto [at, error] = std::from_chars(result.gpus.data(), end, result.gpu_count);
  if (error != std::errc{} || at != end || result.gpu_count < 0)
    result.gpu_count = 0;
  result.cpus = container_limit_or_request(container, "cpu");
  result.memory = container_limit_or_request(container, "memory");
  return result;
}

} // namespace troupe::frameworks::di
