#include "actors/cli/operator/cluster_settings.hpp"

#include "frameworks/pytorch_parts.hpp"
#include "k8s/codec/yaml.hpp"
#include "k8s/general/files.hpp"
#include "k8s/json.hpp"
#include "k8s/text.hpp"

#include <filesystem>

namespace troupe::cli {

namespace {

constexpr const char* flag = "--pytorch-init-container-template-file: ";

k8s::failure invalid_template_file_flag(const std::string& what) {
  return {k8s::ec::invalid, flag + what};
}

/// What stands between "{{" and "}}" without the spaces, and without the '-'
/// that Go's templates may have at either end.
std::string trim_template_action(std::string_view action) {
  if (!action.empty() && action.front() == '-')
    action.remove_prefix(1);
  if (!action.empty() && action.back() == '-')
    action.remove_suffix(1);
  constexpr const char* space = " \t\r\n";
  auto begin = action.find_first_not_of(space);
  if (begin == std::string_view::npos)
    return {};
  auto end = action.find_last_not_of(space);
  return std::string{action.substr(begin, end - begin + 1)};
}

/// "{{.Name}}" or "{{ .Name }}".
std::string replace_template_variable(const std::string& text, const char* name,
                                      const std::string& value) {
  std::string result;
  std::size_t at = 0;
  for (;;) {
    auto begin = text.find("{{", at);
    auto end = begin == std::string::npos ? begin : text.find("}}", begin);
    if (end == std::string::npos)
      return result + text.substr(at);
    auto action = text.substr(begin + 2, end - begin - 2);
    result += text.substr(at, begin - at);
    result += trim_template_action(action) == std::string{"."} + name
                  ? value
                  : "{{" + action + "}}";
    at = end + 2;
  }
}

core::gang gang_of_scheduler(const std::string& scheduler) {
  if (scheduler.empty() || scheduler == "None")
    return core::gang::none;
  if (scheduler == "kubernetes")
    return core::gang::kubernetes;
  return k8s::equal_ignoring_case(scheduler, "volcano")
             ? core::gang::volcano
             : core::gang::coscheduling;
}

} // namespace

k8s::result<std::string>
parse_init_container_template(const std::string& text, const std::string& path,
                              const config::settings& s) {
  auto filled = replace_template_variable(text, "InitContainerImage",
                                          s.pytorch_init_image);
  filled = replace_template_variable(filled, "MaxTries",
                                     std::to_string(s.pytorch_init_max_tries));
  // Plain, so that it may stand where quotes would not.
  constexpr const char* plain_mark = "troupe.master.address.mark";
  filled = replace_template_variable(filled, "MasterAddr", plain_mark);
  if (filled.find("{{") != std::string::npos)
    return invalid_template_file_flag(
        path
        + " has other placeholders than {{.MasterAddr}}, "
          "{{.InitContainerImage}} and {{.MaxTries}}");
  auto documents = k8s::parse_yaml(filled, path);
  if (!documents)
    return invalid_template_file_flag(documents.error().message);
  k8s::json list;
  if (!documents->empty())
    list = std::move(documents->front().value);
  if (list.is_null()) // Nothing but space and comments.
    list = k8s::json::array();
  bool containers = list.is_array();
  for (const auto& c : list)
    containers = containers && k8s::find_value(c, {"name"});
  if (!containers)
    return invalid_template_file_flag(
        path
        + " must be a list of containers with names, or an empty list, which "
          "adds none");
  return k8s::replace_all(k8s::to_text(list), plain_mark,
                          frameworks::master_address_placeholder);
}

k8s::result<core::cluster_options>
load_cluster_options(const config::settings& s) {
  core::cluster_options cluster;
  cluster.cluster_domain = s.cluster_domain;
  cluster.di_server_address = s.di_server_address;
  cluster.di_server_url = s.di_server_url;
  cluster.service_domain = s.service_domain_name;
  cluster.gpu_policy = s.gpu_alloc_policy;
  cluster.agconfig_ns = s.agconfig_namespace;
  cluster.agconfig_name = s.agconfig_name;
  cluster.master_wait_image = s.pytorch_init_image;
  cluster.master_wait_tries = s.pytorch_init_max_tries;
  cluster.kubectl_image = s.mpi_kubectl_image;
  cluster.lost_node_period = s.lost_node_period;
  cluster.queueing_namespaces = {s.kueue_jobs_without_queue.begin(),
                                 s.kueue_jobs_without_queue.end()};
  cluster.scheduling = gang_of_scheduler(s.gang_scheduler);
  if (cluster.scheduling == core::gang::volcano)
    cluster.gang_scheduler = "volcano";
  else if (cluster.scheduling == core::gang::coscheduling)
    cluster.gang_scheduler = s.gang_scheduler;
  std::error_code missing;
  if (std::filesystem::exists(s.pytorch_init_template, missing)) {
    auto text = k8s::read_file(s.pytorch_init_template);
    if (!text)
      return invalid_template_file_flag(text.error().message);
    auto containers =
        parse_init_container_template(*text, s.pytorch_init_template, s);
    if (!containers)
      return containers.error();
    cluster.master_wait_template = std::move(*containers);
  }
  return cluster;
}

} // namespace troupe::cli
