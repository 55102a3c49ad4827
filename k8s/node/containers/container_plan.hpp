#pragma once

#include "k8s/node/base/pod_sandbox.hpp"
#include "k8s/node/base/start_error.hpp"
#include "k8s/node/base/unique_descriptor.hpp"
#include "k8s/node/volumes/config_sources.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace troupe::k8s::node {

/// How to run one container as a process: all decided, nothing looked up.
struct container_plan {
  std::string name;
  std::vector<std::string> argv; ///< argv[0] as in the manifest.
  std::map<std::string, std::string> env;
  std::string directory;
  bool has_stdin = false;    ///< Its input is a pipe, or the terminal.
  bool has_terminal = false; ///< Input and output are a terminal.
  /// With isolation by namespaces: where it runs, what is mounted there, and
  /// a socket on which its reaper is asked to run further commands.
  std::shared_ptr<const cluster_namespaces> cluster = nullptr;
  std::shared_ptr<const pod_namespaces> pod = nullptr;
  std::string mounts = {};
  std::shared_ptr<const unique_descriptor> exec_socket = nullptr;
  /// With it, a further command in a container that runs.
  std::shared_ptr<const container_namespaces> container = nullptr;
};

/// The tool of this node that does what the container's image would do, where
/// the container has no command; "" if there is none for this image.
std::string builtin_tool_for_image(const json& container);

/// Reads spec.containers[i] (or initContainers[i]) of a pod.
std::optional<start_error> make_container_plan(const json& pod,
                                               const json& container,
                                               const pod_sandbox& sandbox,
                                               const config_sources& data,
                                               container_plan& out);

} // namespace troupe::k8s::node
