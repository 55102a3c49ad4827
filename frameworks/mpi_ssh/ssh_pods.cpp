#include "frameworks/mpi_ssh/ssh_pods.hpp"

#include "frameworks/core/base/json.hpp"
#include "frameworks/core/model/decision.hpp"
#include "frameworks/core/model/names.hpp"
#include "frameworks/core/pass/completion.hpp"
#include "frameworks/core/spec/pod_attempt.hpp"
#include "frameworks/core/spec/pod_progress.hpp"
#include "frameworks/core/spec/pod_template.hpp"
#include "frameworks/core/spec/volcano_group.hpp"
#include "frameworks/mpi_ssh/ssh_settings.hpp"

#include <utility>
#include <vector>

namespace troupe::frameworks::mpi_ssh {

using namespace core;

namespace {

constexpr const char* role_variable = "K_MPI_JOB_ROLE";
constexpr const char* key_volume = "ssh-auth";
constexpr const char* config_volume = "mpi-job-config";
constexpr const char* config_path = "/etc/mpi";
constexpr const char* host_file_path = "/etc/mpi/hostfile";
/// Where sshd takes keys only from files that nobody else can read.
constexpr const char* strict_key_path = "/root/.ssh";
constexpr int private_mode = 0600;
constexpr int readable = 0444;
constexpr int runnable = 0555;

using variables = std::vector<std::pair<const char*, std::string>>;

/// They come last, and so win over the user's.
void append_variables(json& container, const variables& all) {
  auto& env = ensure_array(container, "env");
  for (const auto& [name, value] : all) {
    json variable{{"name", name}};
    if (!value.empty())
      variable["value"] = value;
    env.push_back(std::move(variable));
  }
}

void add_mount(json& container, const char* volume, const std::string& path) {
  ensure_array(container, "volumeMounts")
      .push_back({{"name", volume}, {"mountPath", path}});
}

json key_item(const char* key, const char* file) {
  return {{"key", key}, {"path", file}};
}

void add_keys(json& spec, const job& j, const ssh_settings& settings) {
  json secret{
      {"secretName", secret_name(j)},
      {"items", json::array({key_item("ssh-privatekey", "id_rsa"),
                             key_item("ssh-publickey", "id_rsa.pub"),
                             key_item("ssh-publickey", "authorized_keys")})}};
  if (settings.key_path == strict_key_path)
    secret["defaultMode"] = private_mode;
  ensure_array(spec, "volumes")
      .push_back({{"name", key_volume}, {"secret", std::move(secret)}});
  add_mount(spec["containers"][0], key_volume, settings.key_path);
}

json config_item(const char* file, int mode) {
  return {{"key", file}, {"path", file}, {"mode", mode}};
}

void add_config(json& spec, const job& j) {
  ensure_array(spec, "volumes")
      .push_back({{"name", config_volume},
                  {"configMap",
                   {{"name", config_map_name(j)},
                    {"items", json::array({config_item("hostfile", readable),
                                           config_item("discover_hosts.sh",
                                                       runnable)})}}}});
  add_mount(spec["containers"][0], config_volume, config_path);
}

/// Names that the host file has resolve in each pod, on the host's network,
/// too.
void set_dns_policy(json& spec) {
  if (bool_at(spec, {"hostNetwork"}))
    spec["dnsPolicy"] = "ClusterFirstWithHostNet";
}

void add_dns_search(json& spec, const job& j, const cluster_options& cluster) {
  const auto domain =
      cluster.cluster_domain.empty() ? "cluster.local" : cluster.cluster_domain;
  ensure_array(ensure_object(spec, "dnsConfig"), "searches")
      .push_back(service_name(j) + "." + j.ns + ".svc." + domain);
}

void set_host_name(json& spec, const job& j, std::string name) {
  spec["hostname"] = std::move(name);
  spec["subdomain"] = service_name(j);
}

/// Over the user's, as in mpi-operator.
void set_gang_marks(json& pod, const job& j, const slot& at,
                    const cluster_options& cluster) {
  if (cluster.scheduling == gang::none
      || cluster.scheduling == gang::kubernetes)
    return;
  pod["spec"]["schedulerName"] = cluster.gang_scheduler;
  auto& meta = pod["metadata"];
  if (cluster.scheduling == gang::volcano) {
    ensure_object(meta, "annotations")[label::volcano_group] = j.name;
    set_sub_group(meta, j, at);
  } else {
    ensure_object(meta, "labels")[label::pod_group] = j.name;
  }
}

/// Labels and annotations of a template, with the job's own.
json template_metadata(const job& j, const json& given, const char* role,
                       std::optional<std::int32_t> index) {
  auto meta = json::object();
  if (const auto& kept = value_at(given, {"annotations"});
      kept.is_object() && !kept.empty())
    meta["annotations"] = kept;
  auto& labels = meta["labels"];
  labels = value_at(given, {"labels"}).is_object() ? given["labels"]
                                                   : json::object();
  labels[label::operator_name] = operator_label_value;
  labels[label::job_name] = job_name_label_value(j.name);
  labels[label::job_role] = role;
  if (index)
    labels[label::replica_index] = std::to_string(*index);
  return meta;
}

variables variables_of_implementation(const ssh_settings& settings) {
  const auto slots = std::to_string(settings.slots);
  const char* patience = "-o ConnectionAttempts=10";
  switch (settings.mpi) {
  case implementation::open_mpi:
    return {{"OMPI_MCA_orte_keep_fqdn_hostnames", "true"},
            {"OMPI_MCA_orte_default_hostfile", host_file_path},
            {"OMPI_MCA_plm_rsh_args", patience},
            {"OMPI_MCA_orte_set_default_slots", slots}};
  case implementation::intel:
    return {{"I_MPI_HYDRA_HOST_FILE", host_file_path},
            {"I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS", patience},
            {"I_MPI_PERHOST", slots}};
  case implementation::mpich:
    return {{"HYDRA_HOST_FILE", host_file_path},
            {"HYDRA_LAUNCH_EXTRA_ARGS", patience}};
  }
  return {};
}

void add_report_access_if_wanted(json& pod, const char* type, const job& j,
                                 const cluster_options& cluster) {
  if (tells_pods_where_to_report(j, cluster)
      && add_report_access(
          pod["spec"], j.find_replica_spec(type)->main_container, j, cluster))
    pod["metadata"]["labels"][label::progress] = label::told_to_report;
}

/// nullptr if the template has no containers.
json usable_template_or_null(const job& j, const char* type) {
  const auto* spec = j.find_replica_spec(type);
  auto given = spec ? parse_json_or_null(spec->pod_template) : json{};
  return array_at(given, {"spec", "containers"}).empty() ? json{} : given;
}

json launcher_template(const job& j, const cluster_options& cluster,
                       std::optional<std::int32_t> attempt) {
  auto given = usable_template_or_null(j, launcher_label);
  if (given.is_null())
    return given;
  const auto settings = read_ssh_settings(j);
  json made;
  made["metadata"] = template_metadata(
      j, value_at(given, {"metadata"}), launcher_label,
      settings.launcher_computes ? std::optional<std::int32_t>{0}
                                 : std::nullopt);
  made["metadata"]["ownerReferences"] = json::array({controller_reference(j)});
  auto& spec = made["spec"] = std::move(given["spec"]);
  set_host_name(spec, j, launcher_job_name(j));
  auto& main = spec["containers"][0];
  append_variables(main, {{role_variable, launcher_label}});
  append_variables(main, variables_of_implementation(settings));
  if (!settings.launcher_computes) // Else its image may take the node's GPUs.
    append_variables(main, {{"NVIDIA_VISIBLE_DEVICES", ""},
                            {"NVIDIA_DRIVER_CAPABILITIES", ""}});
  set_dns_policy(spec);
  add_keys(spec, j, settings);
  add_config(spec, j);
  add_report_access_if_wanted(made, launcher_label, j, cluster);
  spec["restartPolicy"] =
      pod_restart_policy(j, *j.find_replica_spec(launcher_label));
  set_gang_marks(made, j, {launcher_label, 0}, cluster);
  set_pod_attempt(made, attempt);
  return made;
}

json operation_of(const char* op, const std::string& path, json value) {
  return {{"op", op}, {"path", path}, {"value", std::move(value)}};
}

/// As a part of a JSON pointer.
std::string escaped_key(const std::string& key) {
  std::string result;
  for (char c : key)
    if (c == '~')
      result += "~0";
    else if (c == '/')
      result += "~1";
    else
      result += c;
  return result;
}

/// The field, or an empty value of its type: as if it were absent.
json field_or_empty(const json& spec, const char* field, json empty) {
  const auto& value = value_at(spec, {field});
  return value.is_null() ? empty : value;
}

} // namespace

k8s::result<std::string> make_worker_pod(const job& j, const slot& at,
                                         const cluster_options& cluster,
                                         std::optional<std::int32_t> attempt) {
  auto given = usable_template_or_null(j, at.type.c_str());
  if (given.is_null())
    return k8s::failure{k8s::ec::invalid,
                        "the template of " + at.type
                            + " has no spec.containers: Required value"};
  const auto settings = read_ssh_settings(j);
  const auto name = child_name(j, at);
  json pod{{"apiVersion", "v1"}, {"kind", "Pod"}};
  auto& meta = pod["metadata"] =
      template_metadata(j, value_at(given, {"metadata"}), worker_label,
                        at.index + (settings.launcher_computes ? 1 : 0));
  meta["name"] = name;
  meta["namespace"] = j.ns;
  meta["ownerReferences"] = json::array({controller_reference(j)});
  auto& spec = pod["spec"] = std::move(given["spec"]);
  set_host_name(spec, j, name);
  set_dns_policy(spec);
  add_dns_search(spec, j, cluster);
  auto& main = spec["containers"][0];
  if (value_at(main, {"command"}).empty() && value_at(main, {"args"}).empty())
    main["command"] = json::array({"/usr/sbin/sshd", "-De"});
  append_variables(main, {{role_variable, worker_label}});
  add_keys(spec, j, settings);
  add_report_access_if_wanted(pod, worker_label, j, cluster);
  spec["restartPolicy"] = pod_restart_policy(j, *j.find_replica_spec(at.type));
  set_gang_marks(pod, j, at, cluster);
  set_pod_attempt(pod, attempt);
  return to_text(pod);
}

auxiliary_object launcher_job_object(const job& j,
                                     const cluster_options& cluster,
                                     std::optional<std::int32_t> attempt) {
  json spec;
  spec["template"] = launcher_template(j, cluster, attempt);
  spec["podReplacementPolicy"] = "Failed";
  if (j.policy.suspend)
    spec["suspend"] = true;
  if (j.failure_policy_or_default().may_restart_beyond_pod()) {
    // It is one attempt of several: the deadline is that of all, and its end
    // must not go before it is seen.
    spec["backoffLimit"] = 0;
  } else {
    if (j.policy.ttl_after_finished && !has_own_success_policy(j))
      spec["ttlSecondsAfterFinished"] = j.policy.ttl_after_finished->count();
    if (j.policy.active_deadline)
      spec["activeDeadlineSeconds"] = j.policy.active_deadline->count();
    if (j.policy.backoff_limit)
      spec["backoffLimit"] = *j.policy.backoff_limit;
  }
  auxiliary_object result;
  result.kind = child_kind::launcher_job;
  result.name = launcher_job_name(j);
  result.body = to_text({{"spec", std::move(spec)}});
  json labels{{"app", j.name}, {label::operator_name, operator_label_value}};
  if (attempt)
    labels[label::restart_attempt] = std::to_string(*attempt);
  result.metadata = to_text({{"labels", std::move(labels)}});
  return result;
}

std::string suspension_patch() {
  return to_text(json::array({operation_of("add", "/spec/suspend", true)}));
}

std::string resumption_patch(const job& j, const cluster_options& cluster,
                             std::optional<std::int32_t> attempt) {
  const auto made = launcher_template(j, cluster, attempt);
  const std::string meta = "/spec/template/metadata/";
  const std::string pod = "/spec/template/spec/";
  auto all = json::array({operation_of("add", "/spec/suspend", false)});
  // The Job controller has labels of its own there.
  for (const auto& [key, value] :
       value_at(made, {"metadata", "labels"}).items())
    all.push_back(
        operation_of("add", meta + "labels/" + escaped_key(key), value));
  const auto& spec = value_at(made, {"spec"});
  all.push_back(operation_of("add", meta + "annotations",
                             field_or_empty(value_at(made, {"metadata"}),
                                            "annotations", json::object())));
  all.push_back(
      operation_of("add", pod + "nodeSelector",
                   field_or_empty(spec, "nodeSelector", json::object())));
  for (const char* list : {"tolerations", "schedulingGates"})
    all.push_back(operation_of("add", pod + list,
                               field_or_empty(spec, list, json::array())));
  return to_text(all);
}

std::string start_time_removal_patch() {
  return R"([{"op":"remove","path":"/status/startTime"}])";
}

std::string operator_label_patch() {
  return to_text(json::array({operation_of(
      "add", "/metadata/labels/" + escaped_key(label::operator_name),
      operator_label_value)}));
}

std::vector<job_event> launcher_template_warnings(const job& j) {
  const auto* spec = j.find_replica_spec(launcher_label);
  if (!spec || spec->template_restart_policy.empty())
    return {};
  return {{true, "SetPodTemplateRestartPolicy",
           "Restart policy in pod template overridden by restart policy in "
           "replica spec"}};
}

} // namespace troupe::frameworks::mpi_ssh
