#include "k8s/node/containers/container_plan.hpp"

#include "k8s/node/base/path_map.h"
#include "k8s/node/base/pod_fields.hpp"
#include "k8s/node/containers/container_environment.hpp"
#include "k8s/node/containers/variable_expansion.hpp"
#include "k8s/node/namespaces/container_mounts.hpp"
#include "k8s/node/volumes/termination_file.hpp"
#include "k8s/node/volumes/volumes.hpp"

#include <climits>

#include <algorithm>
#include <sys/stat.h>

namespace troupe::k8s::node {

namespace {

/// Open MPI leaves addresses of 127.0.0.0/8 out, unless it is told which
/// interfaces to use. Ranks have it from their launcher; what the manifest says
/// of interfaces counts.
void let_open_mpi_use_pod_addresses(container_plan& plan) {
  auto names_interfaces = [](const std::string& word) {
    return word.find("btl_tcp_if_") != word.npos;
  };
  bool is_launcher = plan.env.count("OMPI_MCA_plm_rsh_agent") > 0
                     || plan.env.count("OMPI_MCA_orte_default_hostfile") > 0;
  if (is_launcher && plan.env.count("OMPI_MCA_btl_tcp_if_include") == 0
      && std::none_of(plan.argv.begin(), plan.argv.end(), names_interfaces))
    plan.env.emplace("OMPI_MCA_btl_tcp_if_exclude", "lo");
}

/// Where volumes and the working directory are, if the container sees the
/// host's files.
std::optional<start_error>
set_directory_and_path_map(const json& pod, const json& container,
                           const pod_sandbox& sandbox, container_plan& out) {
  auto mounts =
      encode_mount_path_map(pod, container, sandbox.volumes_directory);
  // Before a volume around it.
  if (auto target = termination_file_target(container, sandbox);
      !target.empty())
    mounts = target + ":" + termination_file(out.name, sandbox)
             + (mounts.empty() ? "" : ":") + mounts;
  if (!mounts.empty())
    out.env["TROUPE_PATHS"] = mounts;
  const auto& directory = text_at(container, {"workingDir"});
  char space[PATH_MAX];
  out.directory =
      directory.empty()
          ? sandbox.work_directory
          : map_path(mounts.c_str(), directory.c_str(), space, sizeof space);
  struct stat there {};
  if (::stat(out.directory.c_str(), &there) != 0 || !S_ISDIR(there.st_mode))
    return start_error{"NoWorkingDirectory",
                       "container " + out.name + ": workingDir " + out.directory
                           + " is no directory of this host; make it, or leave "
                             "workingDir out to work in "
                           + sandbox.work_directory};
  return std::nullopt;
}

} // namespace

std::string builtin_tool_if_no_command(const json& container) {
  static const std::map<std::string, std::string> tools{
      {"kubectl-delivery", "deliver-kubectl"}};
  if (!list_at(container, "command").empty())
    return "";
  const auto& image = text_at(container, {"image"});
  auto base = image.substr(image.rfind('/') + 1);
  auto tool = tools.find(base.substr(0, base.find_first_of(":@")));
  return tool == tools.end() ? "" : tool->second;
}

std::optional<start_error> make_container_plan(const json& pod,
                                               const json& container,
                                               const pod_sandbox& sandbox,
                                               const config_sources& data,
                                               container_plan& out) {
  out.name = text_at(container, {"name"});
  if (auto r = make_environment_from_manifest(pod, container, sandbox, data,
                                              out.env))
    return r;
  for (auto list : {"command", "args"})
    for (const auto& word : list_at(container, list))
      if (word.is_string())
        out.argv.push_back(
            expand_variables(word.get_ref<const std::string&>(), out.env));
  if (auto tool = builtin_tool_if_no_command(container); !tool.empty())
    out.argv = {sandbox.tools_directory + "/" + tool};
  add_sandbox_variables(sandbox, out.env);
  out.has_stdin = flag_at(container, "stdin");
  out.has_terminal = flag_at(container, "tty");
  if (out.has_terminal)
    out.env.emplace("TERM", "xterm");
  const auto& directory = text_at(container, {"workingDir"});
  if (sandbox.isolation == isolation_kind::namespaces) {
    out.directory = directory.empty() ? sandbox.work_directory : directory;
    out.cluster = sandbox.namespaces.cluster;
    out.pod = sandbox.namespaces.pod;
    out.mounts =
        encode_mounts(sandbox, make_container_mounts(pod, container, sandbox));
    return std::nullopt;
  }
  if (sandbox.isolation == isolation_kind::preload)
    let_open_mpi_use_pod_addresses(out);
  return set_directory_and_path_map(pod, container, sandbox, out);
}

} // namespace troupe::k8s::node
