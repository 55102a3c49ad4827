#pragma once

#include "k8s/json.hpp"
#include "k8s/node/base/node_directory.hpp"
#include "k8s/node/base/pod_sandbox.hpp"
#include "k8s/node/namespaces/cluster_namespaces.hpp"

#include <memory>
#include <optional>
#include <string>

namespace troupe::k8s::node {

/// Makes the namespaces of a pod that has an address and a host name, and
/// names its directories.
std::optional<failure>
add_sandbox_namespaces(const json& pod,
                       const std::shared_ptr<cluster_namespaces>& cluster,
                       const node_directory& directory,
                       const std::string& domain, pod_sandbox& out);

/// Nothing of the pod runs any more. What its containers wrote into their
/// working directories is kept.
void remove_sandbox_directories(cluster_namespaces& cluster,
                                const pod_sandbox& sandbox);

/// Whether a container has written files into its working directory; caches,
/// and directories without files, do not count.
bool has_overlay_files(const node_directory& directory);

/// Whether there are files in the volumes of claims, as above.
bool has_claim_files(const node_directory& directory);

} // namespace troupe::k8s::node
