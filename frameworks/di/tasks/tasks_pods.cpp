#include "frameworks/di/tasks/tasks_pods.hpp"

#include "frameworks/core/base/json.hpp"
#include "frameworks/core/model/names.hpp"
#include "frameworks/core/spec/limits.hpp"
#include "frameworks/core/spec/pod_template.hpp"
#include "frameworks/di/base/dijob_pods.hpp"
#include "frameworks/di/tasks/tasks_spec.hpp"
#include "frameworks/rules.hpp"

#include <algorithm>
#include <cctype>

namespace troupe::frameworks::di::tasks {

using namespace core;

namespace {

constexpr const char* task_type_label = "diengine/task-type";
constexpr const char* replicas_annotation = "diengine/replicas";
constexpr const char* rank_annotation = "diengine/rank";
constexpr const char* task_rank_annotation = "diengine/task-rank";
constexpr const char* node_annotation = "diengine/node";

/// "DI_MY_TASK_NODES" of "my-task".
std::string nodes_variable_name(const std::string& task) {
  std::string name = "DI_";
  for (char c : task)
    name +=
        c == '-'
            ? '_'
            : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name + "_NODES";
}

/// The names of a task's pods as DNS knows them, added to a list with commas.
void append_pod_dns_names(std::string& list, const job& j,
                          const replica_spec& task,
                          const cluster_options& cluster) {
  const auto domain = "." + job_service_name(j.name) + "." + j.ns + "."
                      + cluster.service_domain;
  for (std::int32_t i = 0; i < task.replicas; ++i)
    list += (list.empty() ? "" : ",") + child_name(j, {task.label, i}) + domain;
}

/// The place of a pod among all of the job: tasks in the order of the spec.
std::int64_t global_rank_of(const job& j, const slot& at) {
  std::int64_t before = 0;
  for (const auto& task : j.replicas) {
    if (task.label == at.type)
      break;
    before += task.replicas;
  }
  return before + at.index;
}

std::vector<env_var> task_environment(const job& j, const slot& at,
                                      const cluster_options& cluster) {
  std::string all;
  std::string own; // There is no other task of its type.
  for (const auto& task : j.replicas) {
    append_pod_dns_names(all, j, task, cluster);
    if (task.label == at.type)
      append_pod_dns_names(own, j, task, cluster);
  }
  return {{"DI_JOB_ID", j.ns + "/" + j.name},
          {"DI_NODES", all},
          {"DI_RANK", std::to_string(global_rank_of(j, at))},
          {"DI_SERVER_URL", cluster.di_server_url},
          {nodes_variable_name(at.type), own}};
}

json pod_metadata(const job& j, const slot& at, const json& given) {
  auto meta = kept_template_metadata(given);
  meta["name"] = child_name(j, at);
  meta["namespace"] = j.ns;
  meta["ownerReferences"] = json::array({controller_reference(j)});
  auto& labels = ensure_object(meta, "labels");
  for (const auto& [key, value] : selector_labels(j, at))
    labels[key] = value;
  labels[task_type_label] = type_of_task(j, at.type);
  auto& annotations = ensure_object(meta, "annotations");
  annotations[replicas_annotation] = std::to_string(j.total_replicas());
  annotations[rank_annotation] = std::to_string(global_rank_of(j, at));
  annotations[task_rank_annotation] = std::to_string(at.index);
  annotations[node_annotation] = "";
  return meta;
}

} // namespace

label_keys task_label_keys() {
  label_keys keys;
  keys.controller = "diengine/operator";
  keys.job_name = "diengine/job";
  keys.replica_type = "diengine/task-name";
  keys.replica_index = "";
  keys.pod_name = "diengine/pod";
  return keys;
}

std::string job_service_name(const std::string& job) {
  return "di-" + job;
}

std::size_t listed_names_bytes(const job& j) {
  constexpr std::size_t beside_each = sizeof ",...svc.cluster.local";
  auto domain = job_service_name(j.name).size() + j.ns.size();
  std::size_t all = 0;
  std::size_t own = 0;
  for (const auto& task : j.replicas) {
    auto bytes = name_list_bytes(j, task, beside_each + domain);
    all += bytes;
    own = std::max(own, bytes);
  }
  return all + own;
}

k8s::result<std::string> make_pod(const job& j, const slot& at,
                                  const cluster_options& cluster,
                                  std::optional<std::int32_t> /*attempt*/) {
  const auto* task = j.find_replica_spec(at.type);
  auto given = task ? parse_json_or_null(task->pod_template) : json{};
  if (!value_at(given, {"spec", "containers"}).is_array())
    return k8s::failure{k8s::ec::invalid,
                        "the template of task " + at.type
                            + " has no spec.containers: Required value"};
  json pod{{"apiVersion", "v1"}, {"kind", "Pod"}};
  pod["metadata"] = pod_metadata(j, at, value_at(given, {"metadata"}));
  auto& spec = pod["spec"] = std::move(given["spec"]);
  spec["restartPolicy"] = task->restart_text;
  spec["hostname"] = child_name(j, at);
  spec["subdomain"] = job_service_name(j.name);
  append_missing_variables_to_containers(spec,
                                         task_environment(j, at, cluster));
  add_job_volumes(spec, j);
  return to_text(pod);
}

std::string make_service_json(const job& j) {
  const auto& keys = j.kind->names.labels;
  const json labels{{keys.controller, j.kind->names.controller},
                    {keys.job_name, job_name_label_value(j.name)}};
  json service = {
      {"apiVersion", "v1"},
      {"kind", "Service"},
      {"metadata",
       {{"name", job_service_name(j.name)},
        {"namespace", j.ns},
        {"labels", labels},
        {"ownerReferences", json::array({controller_reference(j)})}}},
      {"spec",
       {{"clusterIP", "None"},
        {"selector", labels},
        {"ports",
         json::array({{{"name", di::main_port}, {"port", default_port}}})}}}};
  // One service has the names of all pods.
  if (std::any_of(j.replicas.begin(), j.replicas.end(),
                  [](const auto& task) { return task.has_readiness_check; }))
    service["spec"]["publishNotReadyAddresses"] = true;
  return to_text(service);
}

} // namespace troupe::frameworks::di::tasks
