#include "frameworks/pytorch_parts.hpp"

#include "frameworks/core/base/json.hpp"
#include "frameworks/core/model/names.hpp"
#include "frameworks/core/observed/observed.hpp"
#include "frameworks/core/pass/queueing.hpp"
#include "frameworks/core/queueing/workload_content.hpp"
#include "frameworks/pod_security.hpp"
#include "frameworks/rules.hpp"
#include "k8s/text.hpp"

namespace troupe::frameworks {

using namespace core;

namespace {

json default_master_wait_containers(const json& spec, const std::string& master,
                                    const cluster_options& cluster) {
  auto script = "err=1;for i in $(seq "
                + std::to_string(cluster.master_wait_tries)
                + "); do if nslookup " + master
                + "; then err=0 && break; fi;echo waiting for master; sleep 2; "
                  "done; exit $err";
  json container{{"name", "init-pytorch"},
                 {"image", cluster.master_wait_image},
                 {"imagePullPolicy", "IfNotPresent"},
                 {"resources",
                  {{"limits", {{"cpu", "100m"}, {"memory", "20Mi"}}},
                   {"requests", {{"cpu", "50m"}, {"memory", "10Mi"}}}}},
                 {"command", json::array({"sh", "-c", script})}};
  restrict_container_if_pod_complies(container, spec);
  return json::array({std::move(container)});
}

} // namespace

worker_bounds elastic_bounds(const job& j) {
  auto policy = spec_setting(j, "elasticPolicy");
  auto min = int32_at(policy, {"minReplicas"});
  auto max = int32_at(policy, {"maxReplicas"});
  const auto* workers = j.find_replica_spec("worker");
  auto now = workers ? workers->replicas : 0;
  return {min ? *min : max.value_or(now), max ? *max : min.value_or(now)};
}

namespace {

/// Another size would stop it and have it wait again.
bool is_sized_by_queue(const job& j, const cluster_options& cluster) {
  return !j.queue.empty() && !is_elastic(j) && may_be_queued(*j.kind, cluster);
}

} // namespace

std::vector<auxiliary_object>
pytorch_autoscaler_if_elastic(const job& j, const observed_children&,
                              const cluster_options& cluster) {
  auto policy = spec_setting(j, "elasticPolicy");
  const auto& metrics = value_at(policy, {"metrics"});
  if (!metrics.is_array() || j.policy.suspend || is_sized_by_queue(j, cluster))
    return {};
  auto bounds = elastic_bounds(j);
  json spec{{"scaleTargetRef",
             {{"apiVersion", j.kind->names.type.api_version()},
              {"kind", j.kind->names.type.kind},
              {"name", j.name}}},
            {"minReplicas", bounds.min_replicas},
            {"maxReplicas", bounds.max_replicas}};
  if (!metrics.empty()) // Without, the server sets its default (CPU).
    spec["metrics"] = metrics;
  auxiliary_object scaler;
  scaler.kind = child_kind::autoscaler;
  scaler.name = j.name;
  scaler.body = to_text({{"spec", std::move(spec)}});
  return {std::move(scaler)};
}

void add_master_wait_containers_if_needed(json& spec, const job& j,
                                          const slot& at,
                                          const cluster_options& cluster) {
  if (at.type == "master" || !has_replica_of_chief_type(j))
    return;
  auto master = child_name(j, {"master", 0});
  auto containers = cluster.master_wait_template.empty()
                        ? default_master_wait_containers(spec, master, cluster)
                        : parse_json_or_null(k8s::replace_all(
                            cluster.master_wait_template,
                            master_address_placeholder, master));
  if (containers.empty())
    return;
  auto& list = ensure_array(spec, "initContainers");
  for (auto& c : containers)
    list.push_back(std::move(c));
}

} // namespace troupe::frameworks
