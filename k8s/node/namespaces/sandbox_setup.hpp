#pragma once

#include "k8s/json.hpp"
#include "k8s/node/base/node_directory.hpp"
#include "k8s/node/base/pod_sandbox.hpp"
#include "k8s/node/namespaces/cluster_namespaces.hpp"

#include <memory>
#include <optional>
#include <string>

namespace troupe::k8s::node {

/// Makes the namespaces of a pod, its directories and its volumes in memory,
/// and fills `out.namespaces` with them. `out` must have the pod's address,
/// host name and volumes directory.
std::optional<failure>
add_sandbox_namespaces(const json& pod,
                       const std::shared_ptr<cluster_namespaces>& cluster,
                       const node_directory& directory,
                       const std::string& domain, pod_sandbox& out);

/// For a pod of which nothing runs any more: unmounts its memory and removes
/// its directories, except files that its containers wrote into their working
/// directories.
void unmount_and_remove_sandbox_directories(cluster_namespaces& cluster,
                                            const pod_sandbox& sandbox);

/// Whether a container of any pod has written files into its working directory;
/// Python's caches, and directories without files, do not count.
bool has_overlay_files(const node_directory& directory);

/// The same for files in the volumes of claims.
bool has_claim_files(const node_directory& directory);

} // namespace troupe::k8s::node
