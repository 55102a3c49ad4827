#include "frameworks/di/base/dijob_pods.hpp"

#include "frameworks/core/base/json.hpp"
#include "frameworks/core/model/names.hpp"
#include "frameworks/core/spec/pod_template.hpp"
#include "frameworks/rules.hpp"

#include <algorithm>

namespace troupe::frameworks::di {

using namespace core;

namespace {

struct role_row {
  const char* label;
  const char* port_variable;
  std::int32_t port;
};

constexpr role_row role_rows[] = {
    {role::collector, "COLLECTOR_PORT", 22270},
    {role::learner, "LEARNER_PORT", 22271},
    {role::ddp_learner, "LEARNER_PORT", 22271},
    {role::aggregator, "AGGREGATOR_PORT", 22272},
    {role::coordinator, "COORDINATOR_PORT", 22273},
};

/// An unknown role has what the coordinator has.
const role_row& role_row_or_coordinator(const std::string& role) {
  for (const auto& row : role_rows)
    if (role == row.label)
      return row;
  return *std::prev(std::end(role_rows));
}

json* find_main_container(json& pod_template) {
  for (auto& c : pod_template["spec"]["containers"])
    if (text_at(c, {"name"}) == main_container)
      return &c;
  return nullptr;
}

/// Appends the ports whose names the container does not have yet.
void add_default_ports_if_missing(json& container,
                                  const std::vector<container_port>& ports) {
  auto& declared = ensure_array(container, "ports");
  for (const auto& p : ports) {
    bool there =
        std::any_of(declared.begin(), declared.end(), [&](const json& d) {
          return text_at(d, {"name"}) == p.name;
        });
    if (!there)
      declared.push_back({{"name", p.name}, {"containerPort", p.port}});
  }
}

void set_nonempty_resources(json& container, const pod_resources& wanted) {
  const std::pair<const char*, const std::string&> amounts[] = {
      {"cpu", wanted.cpu},
      {"memory", wanted.memory},
      {gpu_resource, wanted.gpu}};
  for (const auto& [name, amount] : amounts)
    if (!amount.empty())
      for (const char* side : {"limits", "requests"})
        ensure_object(ensure_object(container, "resources"), side)[name] =
            amount;
}

std::vector<env_var> pod_environment(const job& j, const pod_order& order,
                                     std::int32_t port) {
  auto result = order.variables;
  result.push_back({role_row_or_coordinator(order.role).port_variable,
                    std::to_string(port)});
  result.push_back({"KUBERNETES_POD_NAMESPACE", j.ns});
  result.push_back({"KUBERNETES_POD_NAME", order.name});
  result.push_back({"KUBERNETES_SERVER_URL", order.server_address});
  if (order.role == role::coordinator)
    result.push_back(
        {"KUBERNETES_COORDINATOR_URL", access_url(order.name, j.ns, port)});
  return result;
}

/// The job, and those that it has beside the job.
std::vector<k8s::owner_reference>
owner_references_of_pod(const job& j, const pod_order& order) {
  std::vector<k8s::owner_reference> all{{j.kind->names.type.api_version(),
                                         j.kind->names.type.kind, j.name, j.uid,
                                         true}};
  all.insert(all.end(), order.owners.begin(), order.owners.end());
  return all;
}

json pod_metadata(const job& j, const pod_order& order, const json& given) {
  auto meta = kept_template_metadata(given);
  meta["name"] = order.name;
  meta["namespace"] = j.ns;
  meta["ownerReferences"] =
      owner_references_json(owner_references_of_pod(j, order));
  auto& labels = ensure_object(meta, "labels");
  for (const auto& [key, value] : order.labels)
    labels[key] = value;
  const auto& keys = j.kind->names.labels;
  labels[keys.group] = keys.group_value;
  labels[keys.controller] = j.kind->names.controller;
  labels[keys.job_name] = job_name_label_value(j.name);
  labels[keys.replica_type] = order.role;
  labels[keys.pod_name] = order.name;
  return meta;
}

} // namespace

json owner_references_json(const std::vector<k8s::owner_reference>& owners) {
  auto result = json::array();
  for (const auto& o : owners)
    result.push_back({{"apiVersion", o.api_version},
                      {"kind", o.kind},
                      {"name", o.name},
                      {"uid", o.uid},
                      {"controller", o.controller}});
  return result;
}

json kept_template_metadata(const json& given) {
  auto kept = json::object();
  for (const char* field : {"labels", "annotations", "finalizers"})
    if (const auto& value = value_at(given, {field}); !value.empty())
      kept[field] = value;
  return kept;
}

void append_missing_variables_to_containers(json& pod_spec,
                                            std::vector<env_var> variables) {
  std::stable_sort(
      variables.begin(), variables.end(),
      [](const env_var& a, const env_var& b) { return a.name < b.name; });
  for (auto& c : pod_spec["containers"]) {
    if (!c.is_object())
      continue; // The API server will say so.
    append_missing_variables(c, variables);
  }
}

void add_job_volumes(json& pod_spec, const job& j) {
  const auto volumes = spec_setting(j, "volumes");
  for (const auto& v : array_at(volumes, {}))
    ensure_array(pod_spec, "volumes").push_back(v);
}

label_keys dijob_label_keys() {
  label_keys keys;
  keys.group = "group-name";
  keys.group_value = "diengine.opendilab.org";
  keys.controller = "controller-name";
  keys.job_name = "dijob-name";
  keys.replica_type = "replica-type";
  keys.replica_index = "";
  keys.pod_name = "pod-name";
  return keys;
}

std::int32_t default_port(const std::string& role) {
  return role_row_or_coordinator(role).port;
}

std::int32_t declared_port_or_default(const json& pod,
                                      const std::string& role) {
  for (const auto& c : array_at(pod, {"spec", "containers"})) {
    if (text_at(c, {"name"}) != main_container)
      continue;
    for (const auto& p : array_at(c, {"ports"}))
      if (text_at(p, {"name"}) == main_port)
        return int32_at(p, {"containerPort"}).value_or(default_port(role));
  }
  return default_port(role);
}

std::string access_url(const std::string& pod, const std::string& ns,
                       std::int32_t port) {
  return pod + "." + ns + ":" + std::to_string(port);
}

k8s::result<complete_pod> make_pod(const job& j, const pod_order& order) {
  auto given = parse_json_or_null(order.pod_template);
  if (!value_at(given, {"spec", "containers"}).is_array())
    return k8s::failure{k8s::ec::invalid,
                        "the template of the " + order.role
                            + " has no spec.containers: Required value"};
  auto port = declared_port_or_default(given, order.role);
  if (auto* main = find_main_container(given)) {
    auto ports = order.ports;
    ports.insert(ports.begin(), {main_port, port});
    add_default_ports_if_missing(*main, ports);
    set_nonempty_resources(*main, order.resources);
  }
  json pod{{"apiVersion", "v1"}, {"kind", "Pod"}};
  pod["metadata"] = pod_metadata(j, order, value_at(given, {"metadata"}));
  auto& spec = pod["spec"] = std::move(given["spec"]);
  append_missing_variables_to_containers(spec, pod_environment(j, order, port));
  if (order.has_job_volumes)
    add_job_volumes(spec, j);
  if (!order.priority_class.empty())
    spec["priorityClassName"] = order.priority_class;
  if (!order.default_restart_policy.empty()
      && text_at(spec, {"restartPolicy"}).empty())
    spec["restartPolicy"] = order.default_restart_policy;
  return complete_pod{to_text(pod), port};
}

pod_order coordinator_pod_order(const job& j, const cluster_options& cluster) {
  pod_order order;
  order.role = role::coordinator;
  order.name = child_name(j, {role::coordinator, 0});
  if (const auto* spec = j.find_replica_spec(role::coordinator))
    order.pod_template = spec->pod_template;
  order.server_address = cluster.di_server_address;
  const auto priority = spec_setting(j, "priorityClassName");
  order.priority_class = text_at(priority, {});
  order.default_restart_policy = "Never";
  return order;
}

} // namespace troupe::frameworks::di
