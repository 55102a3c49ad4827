#pragma once

#include "k8s/node/base/pod_sandbox.hpp"
#include "k8s/node/base/start_error.hpp"
#include "k8s/node/volumes/config_sources.hpp"

#include <optional>
#include <vector>

namespace troupe::k8s::node {

/// The ConfigMaps and Secrets that the container's environment is made of.
std::vector<config_source_name>
config_sources_of_environment(const json& container);

/// The container's environment as the manifest has it, or why there is none.
/// Only this is what $(NAME) in command and args may mean, as in Kubernetes.
std::optional<start_error> make_environment_from_manifest(
    const json& pod, const json& container, const pod_sandbox& sandbox,
    const config_sources& data, std::map<std::string, std::string>& env);

/// Adds what the host gives, where the manifest says nothing, and what makes a
/// process feel like a pod. A preload of the manifest's own stays in force.
void add_sandbox_variables(const pod_sandbox& sandbox,
                           std::map<std::string, std::string>& env);

/// The host's variables that containers inherit.
std::map<std::string, std::string> inherited_environment();

} // namespace troupe::k8s::node
