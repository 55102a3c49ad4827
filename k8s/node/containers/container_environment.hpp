#pragma once

#include "k8s/node/base/pod_sandbox.hpp"
#include "k8s/node/base/start_error.hpp"
#include "k8s/node/volumes/config_sources.hpp"

#include <optional>
#include <vector>

namespace troupe::k8s::node {

/// The ConfigMaps and Secrets from which the container's environment is made.
std::vector<config_source_name>
config_sources_of_environment(const json& container);

/// Fills `env` with the container's environment of the manifest, or says why it
/// cannot be made. Command and args may use only these variables by $(NAME), as
/// in Kubernetes.
std::optional<start_error> make_environment_from_manifest(
    const json& pod, const json& container, const pod_sandbox& sandbox,
    const config_sources& data, std::map<std::string, std::string>& env);

/// Adds the host's variables that the manifest does not set, and those that
/// make a process behave as in a pod. PATH begins with the node's tools; an
/// LD_PRELOAD of the manifest stays in force.
void add_sandbox_variables(const pod_sandbox& sandbox,
                           std::map<std::string, std::string>& env);

/// The variables of this process that containers inherit.
std::map<std::string, std::string> inherited_environment();

} // namespace troupe::k8s::node
