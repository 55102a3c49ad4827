#pragma once

#include "k8s/json.hpp"
#include "k8s/result.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace troupe::k8s::node {

/// How to run one container as a process: all decided, nothing looked up.
struct container_plan {
  std::string name;
  std::vector<std::string> argv; ///< argv[0] as in the manifest.
  std::map<std::string, std::string> env;
  std::string directory;
};

/// What the containers of a pod share: its address, name and directories.
struct pod_sandbox {
  std::string node;
  std::string address;  ///< The pod's.
  std::string hostname; ///< The pod's.
  std::string host_address;
  std::string work_directory; ///< Where containers work that name no directory.
  std::string preload_library;    ///< Its file.
  std::string hosts_file;         ///< The names of services.
  std::string volumes_directory;  ///< The pod's own.
  std::string exec_contexts;      ///< The pod's own directory.
  std::string exec_context_links; ///< A link to each of the namespace's.
  std::string tools_directory;    ///< This node's own programs.
  std::map<std::string, std::string> inherited; ///< From the host: PATH, ...
};

/// A ConfigMap or Secret of the pod's namespace, and what is in it (decoded),
/// or why that is not known.
using config_source_name =
    std::pair<std::string, std::string>; ///< Kind and name.
using config_source_content = result<std::map<std::string, std::string>>;
using config_sources = std::map<config_source_name, config_source_content>;

/// Why a pod or container does not start, as its status tells it.
struct start_error {
  std::string reason;        ///< One word.
  std::string message;       ///< Names the field and the fix.
  bool is_retryable = false; ///< A source may not exist yet.
};

/// The tool of this node that does what the container's image would do, where
/// the container has no command; "" if there is none for this image.
std::string tool_for_container(const json& container);

/// Why this node can never run the pod, if so: volumes, users and the like
/// that need root, and commands that are in images only.
std::optional<start_error> find_unsupported_field(const json& pod);

/// What of the manifest has no effect here, for an event; "" if nothing that
/// matters.
std::string ignored_fields(const json& pod);

/// The ConfigMaps and Secrets that the container's environment is made of.
std::vector<config_source_name> environment_sources(const json& container);

/// The container's environment as the manifest has it, or why there is none.
/// Only this is what $(NAME) in command and args may mean, as in Kubernetes.
std::optional<start_error> make_container_environment(
    const json& pod, const json& container, const pod_sandbox& sandbox,
    const config_sources& data, std::map<std::string, std::string>& env);

/// Adds what the host gives, where the manifest says nothing, and what makes a
/// process feel like a pod. A preload of the manifest's own stays in force.
void add_node_variables(const pod_sandbox& sandbox,
                        std::map<std::string, std::string>& env);

/// Reads spec.containers[i] (or initContainers[i]) of a pod.
std::optional<start_error> make_container_plan(const json& pod,
                                               const json& container,
                                               const pod_sandbox& sandbox,
                                               const config_sources& data,
                                               container_plan& out);

/// The host's variables that containers inherit.
std::map<std::string, std::string> inherited_environment();

/// A JSON array at `key`, or an empty one.
const json& list_at(const json& object, const char* key);

} // namespace troupe::k8s::node
