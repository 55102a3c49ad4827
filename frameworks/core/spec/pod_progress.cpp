#include "frameworks/core/spec/pod_progress.hpp"

#include "frameworks/core/base/json.hpp"
#include "frameworks/core/model/names.hpp"
#include "frameworks/core/spec/pod_template.hpp"

#include <algorithm>

namespace troupe::core {

namespace {

constexpr const char* volume_name = "kubeflow-trainer-token";
constexpr const char* mount_path = "/var/run/secrets/kubeflow/trainer";
constexpr const char* authority_file = "ca.crt";
constexpr const char* token_file = "token";
constexpr int token_seconds = 3'600;
constexpr const char* url_variable = "KUBEFLOW_TRAINER_SERVER_URL";
constexpr const char* authority_variable = "KUBEFLOW_TRAINER_SERVER_CA_CERT";
constexpr const char* token_variable = "KUBEFLOW_TRAINER_SERVER_TOKEN";

bool is_in_list(const json& list, const char* field, const std::string& value) {
  return list.is_array()
         && std::any_of(list.begin(), list.end(), [&](const json& one) {
              return text_at(one, {field}) == value;
            });
}

json* find_container(json& pod_spec, const std::string& name) {
  if (auto all = pod_spec.find("containers");
      all != pod_spec.end() && all->is_array())
    for (auto& c : *all)
      if (text_at(c, {"name"}) == name)
        return &c;
  return nullptr;
}

std::string path_below_mount(const char* file) {
  return std::string{mount_path} + "/" + file;
}

std::string path_of_job(const std::string& ns, const std::string& plural,
                        const std::string& name) {
  return "/namespaces/" + ns + "/" + plural + "/" + name;
}

json report_volume(const job& j) {
  json token{
      {"audience", report_audience(j.ns, j.kind->names.type.plural, j.name)},
      {"expirationSeconds", token_seconds},
      {"path", token_file}};
  json authority{{"name", report_config_map_name(j)}};
  authority["items"].push_back(
      {{"key", authority_file}, {"path", authority_file}});
  json volume{{"name", volume_name}};
  auto& sources = volume["projected"]["sources"];
  sources.push_back({{"serviceAccountToken", std::move(token)}});
  sources.push_back({{"configMap", std::move(authority)}});
  return volume;
}

} // namespace

std::string report_audience(const std::string& ns, const std::string& plural,
                            const std::string& name) {
  return "training.kubeflow.org/progress" + path_of_job(ns, plural, name);
}

std::string report_path(const job& j) {
  return path_of_job(j.ns, j.kind->names.type.plural, j.name);
}

bool takes_reports(const framework& f) {
  return !f.own.read_spec; // The others have policies.
}

std::string report_config_map_name(const job& j) {
  return j.name + "-progress";
}

bool tells_pods_where_to_report(const job& j, const cluster_options& cluster) {
  return j.policy.progress.report && !cluster.progress_url.empty();
}

auxiliary_object report_config_map(const job& j,
                                   const cluster_options& cluster) {
  auxiliary_object out;
  out.kind = child_kind::config_map;
  out.name = report_config_map_name(j);
  if (!cluster.progress_authority.empty())
    out.body =
        to_text({{"data", {{authority_file, cluster.progress_authority}}}});
  out.before_pods = true;
  return out;
}

std::string obstacle_to_reporting(const json& pod_spec,
                                  const std::string& main_container) {
  if (is_in_list(value_at(pod_spec, {"volumes"}), "name", volume_name))
    return std::string{"the volume "} + volume_name;
  for (const auto& c : array_at(pod_spec, {"containers"})) {
    if (text_at(c, {"name"}) != main_container)
      continue;
    for (const char* name : {url_variable, authority_variable, token_variable})
      if (is_in_list(value_at(c, {"env"}), "name", name))
        return std::string{"the variable "} + name;
    if (is_in_list(value_at(c, {"volumeMounts"}), "mountPath", mount_path))
      return std::string{"the mount at "} + mount_path;
    return {};
  }
  return {};
}

std::optional<job_event> not_told_event(const job& j,
                                        const cluster_options& cluster) {
  if (!j.policy.progress.report)
    return std::nullopt;
  auto event = [&](const std::string& why) {
    return job_event{true, kind_prefixed_reason(*j.kind, "NoProgressReports"),
                     "Pods are not told where to report how far they are: "
                         + why};
  };
  if (cluster.progress_url.empty())
    return event("the operator serves no webhooks, whose address it would be");
  for (const auto& type : j.replicas)
    if (auto obstacle = obstacle_to_reporting(
            value_at(parse_json_or_null(type.pod_template), {"spec"}),
            type.main_container);
        !obstacle.empty())
      return event("the template of " + type.type + " has " + obstacle
                   + " already, which stays as it is");
  return std::nullopt;
}

bool add_report_access(json& pod_spec, const std::string& main_container,
                       const job& j, const cluster_options& cluster) {
  auto* container = find_container(pod_spec, main_container);
  if (!container || !obstacle_to_reporting(pod_spec, main_container).empty())
    return false;
  append_missing_variables(
      *container, {{url_variable, cluster.progress_url + report_path(j)},
                   {authority_variable, path_below_mount(authority_file)},
                   {token_variable, path_below_mount(token_file)}});
  ensure_array(*container, "volumeMounts")
      .push_back({{"name", volume_name},
                  {"mountPath", mount_path},
                  {"readOnly", true}});
  ensure_array(pod_spec, "volumes").push_back(report_volume(j));
  // As admission would fill it in: a token must be somebody's.
  if (text_at(pod_spec, {"serviceAccountName"}).empty()
      && text_at(pod_spec, {"serviceAccount"}).empty())
    pod_spec["serviceAccountName"] = "default";
  return true;
}

} // namespace troupe::core
