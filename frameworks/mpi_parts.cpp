#include "frameworks/mpi_parts.hpp"

#include "frameworks/core/base/json.hpp"
#include "frameworks/core/model/names.hpp"
#include "frameworks/core/observed/observed.hpp"
#include "frameworks/core/spec/limits.hpp"
#include "frameworks/core/spec/pod_template.hpp"
#include "frameworks/pod_security.hpp"
#include "frameworks/rules.hpp"

#include <set>

namespace troupe::frameworks {

using namespace core;

namespace {

constexpr const char* config_volume = "mpi-job-config";
constexpr const char* config_path = "/etc/mpi";
constexpr const char* kubectl_volume = "mpi-job-kubectl";
constexpr const char* kubectl_path = "/opt/kube";
constexpr const char* exec_script = "kubexec.sh";
constexpr const char* host_file = "hostfile";
constexpr const char* discovery_script = "discover_hosts.sh";
/// Of what an API server stores in one.
constexpr std::size_t max_config_map_bytes = 1'024 * 1'024;
constexpr int readable = 0444;
constexpr int runnable = 0555;

std::string config_file_path(const char* file) {
  return std::string{config_path} + "/" + file;
}

std::string launcher_name(const job& j) {
  return child_name(j, {"launcher", 0});
}

std::string config_map_name(const job& j) {
  return j.name + "-config";
}

std::int32_t worker_count(const job& j) {
  const auto* type = j.find_replica_spec("worker");
  return type ? type->replicas : 0;
}

bool has_gpu_limit(const json& pod_template) {
  for (const auto& c : value_at(pod_template, {"spec", "containers"}))
    for (const auto& [name, value] :
         value_at(c, {"resources", "limits"}).items())
      if (name.find("gpu") != std::string::npos)
        return true;
  return false;
}

/// What the launcher's template and the spec say about the other objects.
struct launch_settings {
  std::string service_account; ///< Of the launcher; may be the template's own.
  bool launcher_computes = false; ///< It has a GPU, and so takes part.
  std::int64_t slots = 1;         ///< Of each worker.
  std::string exec_container;     ///< Of a worker; "": its default one.
};

launch_settings read_launch_settings(const job& j) {
  launch_settings result;
  if (const auto* launcher = j.find_replica_spec("launcher")) {
    auto pod = parse_json_or_null(launcher->pod_template);
    result.service_account = text_at(pod, {"spec", "serviceAccountName"});
    result.launcher_computes = has_gpu_limit(pod);
  }
  if (result.service_account.empty())
    result.service_account = launcher_name(j);
  auto spec = parse_json_or_null(j.settings);
  result.slots = int64_at(spec, {"slotsPerWorker"}).value_or(1);
  result.exec_container = text_at(spec, {"mainContainer"});
  return result;
}

// -- the files ----------------------------------------------------------------

std::string hostfile_text(const job& j, const launch_settings& settings) {
  auto rest = " slots=" + std::to_string(settings.slots) + "\n";
  auto result =
      settings.launcher_computes ? launcher_name(j) + rest : std::string{};
  for (std::int32_t i = 0; i < worker_count(j); ++i)
    result += child_name(j, {"worker", i}) + rest;
  return result;
}

/// Sorted as text, as in training-operator v1: worker-10 before worker-2.
std::set<std::string> running_worker_names(const observed_children& seen) {
  std::set<std::string> result;
  for (const auto& pod : seen.pods())
    if (pod.owned && pod.at.type == "worker"
        && pod.phase == k8s::pod_phase::running)
      result.insert(pod.name);
  return result;
}

std::string discovery_script_text(const job& j, const launch_settings& settings,
                                  const observed_children& seen) {
  auto rest = ":" + std::to_string(settings.slots);
  std::string result = "#!/bin/sh";
  if (settings.launcher_computes)
    result += "\necho " + launcher_name(j) + rest + "\n";
  for (const auto& name : running_worker_names(seen))
    result += "\necho " + name + rest;
  return result;
}

/// What mpirun calls in place of ssh: `kubexec.sh HOST COMMAND...`.
std::string kubexec_script_text(const launch_settings& settings) {
  const auto& container = settings.exec_container;
  std::string option = container.empty() ? "" : " --container " + container;
  return "#!/bin/sh\nset -x\nPOD_NAME=$1\nshift\n" + std::string{kubectl_path}
         + "/kubectl exec ${POD_NAME}" + option + " -- /bin/sh -c \"$*\"";
}

// -- auxiliary objects --------------------------------------------------------

// Their bodies are put together as texts: every reconcile compares them with
// what exists.

std::string config_map_body(const job& j, const launch_settings& settings,
                            const observed_children& seen) {
  return R"({"data":{)" + to_quoted(discovery_script) + ":"
         + to_quoted(discovery_script_text(j, settings, seen)) + ","
         + to_quoted(host_file) + ":" + to_quoted(hostfile_text(j, settings))
         + "," + to_quoted(exec_script) + ":"
         + to_quoted(kubexec_script_text(settings)) + "}}";
}

/// Without workers there is no pod to exec into; an empty list of names would
/// allow every pod of the namespace.
std::string role_body(const job& j) {
  std::string workers;
  for (std::int32_t i = 0; i < worker_count(j); ++i)
    workers += (i > 0 ? "," : "") + to_quoted(child_name(j, {"worker", i}));
  auto exec_rule = workers.empty()
                       ? ""
                       : R"(,{"apiGroups":[""],"resourceNames":[)" + workers
                             + R"(],"resources":["pods/exec"],)"
                               R"("verbs":["create"]})";
  return R"({"rules":[{"apiGroups":[""],"resources":["pods"],)"
         R"("verbs":["get","list","watch"]})"
         + exec_rule + "]}";
}

std::string role_binding_body(const job& j, const launch_settings& settings) {
  return R"({"roleRef":{"apiGroup":"rbac.authorization.k8s.io",)"
         R"("kind":"Role","name":)"
         + to_quoted(launcher_name(j))
         + R"(},"subjects":[{"kind":"ServiceAccount","name":)"
         + to_quoted(settings.service_account) + R"(,"namespace":)"
         + to_quoted(j.ns) + "}]}";
}

// -- pods ---------------------------------------------------------------------

void add_volume_mount(json& container, const char* volume, const char* path) {
  ensure_array(container, "volumeMounts")
      .push_back({{"name", volume}, {"mountPath", path}});
}

json config_map_item(const char* name, int mode) {
  return {{"key", name}, {"path", name}, {"mode", mode}};
}

void add_config_volume(json& spec, const job& j, json files) {
  ensure_array(spec, "volumes")
      .push_back(
          {{"name", config_volume},
           {"configMap",
            {{"name", config_map_name(j)}, {"items", std::move(files)}}}});
}

void customize_worker_pod(json& spec, const job& j) {
  auto& main = spec["containers"][0];
  if (value_at(main, {"command"}).empty()) {
    main["command"] = json::array({"sleep"});
    main["args"] = json::array({"365d"});
  }
  add_volume_mount(main, config_volume, config_path);
  // Open MPI looks for the script on every rank.
  add_config_volume(spec, j,
                    json::array({config_map_item(exec_script, runnable)}));
}

json kubectl_delivery_container(const json& spec, const job& j,
                                const cluster_options& cluster) {
  json amounts{
      {"cpu", "100m"}, {"memory", "512Mi"}, {"ephemeral-storage", "5Gi"}};
  json result{
      {"name", "kubectl-delivery"},
      {"image", cluster.kubectl_image},
      {"imagePullPolicy", "IfNotPresent"},
      {"env", json::array({{{"name", "TARGET_DIR"}, {"value", kubectl_path}},
                           {{"name", "NAMESPACE"}, {"value", j.ns}}})},
      {"resources", {{"limits", amounts}, {"requests", amounts}}}};
  add_volume_mount(result, kubectl_volume, kubectl_path);
  add_volume_mount(result, config_volume, config_path);
  restrict_container_if_pod_complies(result, spec);
  return result;
}

void add_mpi_variables(json& container, const launch_settings& settings) {
  auto script = config_file_path(exec_script);
  std::vector<env_var> variables{
      {"OMPI_MCA_plm_rsh_agent", script},
      {"OMPI_MCA_orte_default_hostfile", config_file_path(host_file)}};
  if (!settings.launcher_computes) { // Else its image may take the node's GPUs.
    variables.push_back({"NVIDIA_VISIBLE_DEVICES", ""});
    variables.push_back({"NVIDIA_DRIVER_CAPABILITIES", ""});
  }
  variables.push_back({"I_MPI_HYDRA_BOOTSTRAP", "rsh"});
  variables.push_back({"I_MPI_HYDRA_BOOTSTRAP_EXEC", script});
  append_missing_variables(container, variables);
}

void customize_launcher_pod(json& spec, const job& j,
                            const cluster_options& cluster) {
  auto settings = read_launch_settings(j);
  spec["serviceAccountName"] = settings.service_account;
  auto init = kubectl_delivery_container(spec, j, cluster);
  ensure_array(spec, "initContainers").push_back(std::move(init));
  auto& main = spec["containers"][0];
  add_mpi_variables(main, settings);
  add_volume_mount(main, kubectl_volume, kubectl_path);
  add_volume_mount(main, config_volume, config_path);
  ensure_array(spec, "volumes")
      .push_back({{"name", kubectl_volume}, {"emptyDir", json::object()}});
  add_config_volume(spec, j,
                    json::array({config_map_item(exec_script, runnable),
                                 config_map_item(host_file, readable),
                                 config_map_item(discovery_script, runnable)}));
}

} // namespace

void customize_mpi_pod_spec(json& spec, const job& j, const slot& at,
                            const cluster_options& cluster) {
  if (spec["containers"].empty())
    return;
  if (at.type == "launcher")
    customize_launcher_pod(spec, j, cluster);
  else
    customize_worker_pod(spec, j);
}

std::vector<field_error> mpi_config_map_size_errors(const job& j) {
  const auto* workers = j.find_replica_spec("worker");
  if (!workers || workers->replicas < 1)
    return {};
  auto slots = std::to_string(read_launch_settings(j).slots).size();
  auto in_hostfile = slots + sizeof " slots=";
  auto in_script = slots + sizeof "\\necho :";
  auto size = name_list_bytes(j, *workers, in_hostfile + in_script)
              + name_list_bytes(j, *workers, 0);
  if (size <= max_config_map_bytes)
    return {};
  return {{"spec.mpiReplicaSpecs[Worker].replicas",
           "Invalid value: " + std::to_string(workers->replicas)
               + ": the names of the workers would take " + std::to_string(size)
               + " bytes of the job's ConfigMap, the limit is "
               + std::to_string(max_config_map_bytes)
               + "; ask for fewer, or shorten the job's name"}};
}

std::vector<auxiliary_object>
mpi_auxiliary_objects(const job& j, const observed_children& seen,
                      const cluster_options&) {
  auto settings = read_launch_settings(j);
  auto launcher = launcher_name(j);
  auto labels = R"({"labels":{"app":)" + to_quoted(j.name) + "}}";
  auto make = [&](child_kind kind, std::string name, std::string body) {
    return auxiliary_object{kind, std::move(name), std::move(body), labels,
                            true};
  };
  auto binding =
      make(child_kind::role_binding, launcher, role_binding_body(j, settings));
  binding.refers_to = child_kind::role;
  std::vector<auxiliary_object> result;
  result.reserve(4);
  result.push_back(
      make(child_kind::service_account, settings.service_account, "{}"));
  result.push_back(make(child_kind::config_map, config_map_name(j),
                        config_map_body(j, settings, seen)));
  result.push_back(make(child_kind::role, launcher, role_body(j)));
  result.push_back(std::move(binding));
  return result;
}

} // namespace troupe::frameworks
