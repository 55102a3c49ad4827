#include "frameworks/mpi_parts.hpp"

#include "frameworks/core/json.hpp"
#include "frameworks/core/names.hpp"
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

/// The launcher's template may bring an account of its own.
std::string launcher_service_account_name(const job& j) {
  const auto* launcher = j.find_replica_spec("launcher");
  auto own = launcher ? text_at(parse_json_or_null(launcher->pod_template),
                                {"spec", "serviceAccountName"})
                      : "";
  return own.empty() ? launcher_name(j) : own;
}

std::int64_t slots_per_worker(const job& j) {
  return int64_at(spec_setting(j, "slotsPerWorker"), {}).value_or(1);
}

std::int32_t worker_count(const job& j) {
  const auto* type = j.find_replica_spec("worker");
  return type ? type->replicas : 0;
}

/// Whether the launcher has a GPU, and so takes part in the computation.
bool launcher_has_gpu_limit(const job& j) {
  const auto* launcher = j.find_replica_spec("launcher");
  if (!launcher)
    return false;
  auto pod = parse_json_or_null(launcher->pod_template);
  for (const auto& c : value_at(pod, {"spec", "containers"}))
    for (const auto& [name, value] :
         value_at(c, {"resources", "limits"}).items())
      if (name.find("gpu") != std::string::npos)
        return true;
  return false;
}

// -- the files ----------------------------------------------------------------

std::string hostfile_text(const job& j) {
  auto rest = " slots=" + std::to_string(slots_per_worker(j)) + "\n";
  auto result =
      launcher_has_gpu_limit(j) ? launcher_name(j) + rest : std::string{};
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

std::string discovery_script_text(const job& j, const observed_children& seen) {
  auto rest = ":" + std::to_string(slots_per_worker(j));
  std::string result = "#!/bin/sh";
  if (launcher_has_gpu_limit(j))
    result += "\necho " + launcher_name(j) + rest + "\n";
  for (const auto& name : running_worker_names(seen))
    result += "\necho " + name + rest;
  return result;
}

/// What mpirun calls in place of ssh: `kubexec.sh HOST COMMAND...`.
std::string kubexec_script_text(const job& j) {
  auto container = text_at(spec_setting(j, "mainContainer"), {});
  std::string option = container.empty() ? "" : " --container " + container;
  return "#!/bin/sh\nset -x\nPOD_NAME=$1\nshift\n" + std::string{kubectl_path}
         + "/kubectl exec ${POD_NAME}" + option + " -- /bin/sh -c \"$*\"";
}

// -- auxiliary objects --------------------------------------------------------

auxiliary_object make_auxiliary_object(child_kind kind, std::string name,
                                       const job& j, const json& body) {
  auxiliary_object b;
  b.kind = kind;
  b.name = std::move(name);
  b.body = to_text(body);
  b.metadata = to_text({{"labels", {{"app", j.name}}}});
  b.before_pods = true;
  return b;
}

json policy_rule(const char* resource, std::vector<std::string> verbs) {
  return {{"apiGroups", json::array({""})},
          {"resources", json::array({resource})},
          {"verbs", std::move(verbs)}};
}

/// Without workers there is no pod to exec into; an empty list of names would
/// allow every pod of the namespace.
json launcher_role_rules(const job& j) {
  auto result = json::array({policy_rule("pods", {"get", "list", "watch"})});
  auto names = json::array();
  for (std::int32_t i = 0; i < worker_count(j); ++i)
    names.push_back(child_name(j, {"worker", i}));
  if (!names.empty()) {
    result.push_back(policy_rule("pods/exec", {"create"}));
    result.back()["resourceNames"] = std::move(names);
  }
  return result;
}

json launcher_role_binding_json(const job& j) {
  return {{"roleRef",
           {{"apiGroup", "rbac.authorization.k8s.io"},
            {"kind", "Role"},
            {"name", launcher_name(j)}}},
          {"subjects", json::array({{{"kind", "ServiceAccount"},
                                     {"name", launcher_service_account_name(j)},
                                     {"namespace", j.ns}}})}};
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

bool defines_env_var(const json& env, const char* name) {
  for (const auto& v : env)
    if (text_at(v, {"name"}) == name)
      return true;
  return false;
}

void add_openmpi_variables(json& container, const job& j) {
  auto& env = ensure_array(container, "env");
  const auto given = env;
  auto add = [&](const char* name, const std::string& value) {
    env.push_back({{"name", name}, {"value", value}});
  };
  auto script = config_file_path(exec_script);
  add("OMPI_MCA_plm_rsh_agent", script);
  add("OMPI_MCA_orte_default_hostfile", config_file_path(host_file));
  if (!launcher_has_gpu_limit(j)) { // Else its image may take the node's GPUs.
    add("NVIDIA_VISIBLE_DEVICES", "");
    add("NVIDIA_DRIVER_CAPABILITIES", "");
  }
  if (!defines_env_var(given, "I_MPI_HYDRA_BOOTSTRAP"))
    add("I_MPI_HYDRA_BOOTSTRAP", "rsh");
  if (!defines_env_var(given, "I_MPI_HYDRA_BOOTSTRAP_EXEC"))
    add("I_MPI_HYDRA_BOOTSTRAP_EXEC", script);
}

void customize_launcher_pod(json& spec, const job& j,
                            const cluster_options& cluster) {
  spec["serviceAccountName"] = launcher_service_account_name(j);
  auto init = kubectl_delivery_container(spec, j, cluster);
  ensure_array(spec, "initContainers").push_back(std::move(init));
  auto& main = spec["containers"][0];
  add_openmpi_variables(main, j);
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

std::vector<auxiliary_object>
mpi_auxiliary_objects(const job& j, const observed_children& seen,
                      const cluster_options&) {
  auto launcher = launcher_name(j);
  auto bound = make_auxiliary_object(child_kind::role_binding, launcher, j,
                                     launcher_role_binding_json(j));
  bound.refers_to = child_kind::role;
  return {make_auxiliary_object(child_kind::service_account,
                                launcher_service_account_name(j), j,
                                json::object()),
          make_auxiliary_object(
              child_kind::config_map, config_map_name(j), j,
              {{"data",
                {{host_file, hostfile_text(j)},
                 {discovery_script, discovery_script_text(j, seen)},
                 {exec_script, kubexec_script_text(j)}}}}),
          make_auxiliary_object(child_kind::role, launcher, j,
                                {{"rules", launcher_role_rules(j)}}),
          std::move(bound)};
}

} // namespace troupe::frameworks
