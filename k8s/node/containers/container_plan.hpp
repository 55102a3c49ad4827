#pragma once

#include "k8s/node/base/pod_sandbox.hpp"
#include "k8s/node/base/start_error.hpp"
#include "k8s/node/base/unique_descriptor.hpp"
#include "k8s/node/volumes/config_sources.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace troupe::k8s::node {

/// How to run one container as a process: everything is decided.
struct container_plan {
  std::string name;
  std::vector<std::string> argv; ///< argv[0] as in the manifest.
  std::map<std::string, std::string> env;
  std::string directory;
  bool has_stdin = false;    ///< Its input is a pipe, or the terminal.
  bool has_terminal = false; ///< Input and output are a terminal.
  /// With namespaces: where it runs, its mounts, and a socket on which its
  /// reaper takes requests for further commands.
  std::shared_ptr<const cluster_namespaces> cluster = nullptr;
  std::shared_ptr<const pod_namespaces> pod = nullptr;
  std::string mounts = {};
  std::shared_ptr<const unique_descriptor> exec_socket = nullptr;
  /// If not null, the plan is for a command in this running container.
  std::shared_ptr<const container_namespaces> container = nullptr;
};

/// The tool of this node that replaces the container's image if the container
/// has no command; "" if it has one, or if no tool replaces the image.
std::string builtin_tool_if_no_command(const json& container);

/// Plans how to run spec.containers[i] (or initContainers[i]) of a pod; an
/// error says why it cannot run.
std::optional<start_error> make_container_plan(const json& pod,
                                               const json& container,
                                               const pod_sandbox& sandbox,
                                               const config_sources& data,
                                               container_plan& out);

} // namespace troupe::k8s::node
