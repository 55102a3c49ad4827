#pragma once

#include "k8s/node/base/unique_descriptor.hpp"
#include "k8s/node/containers/container_plan.hpp"

#include <sys/types.h>

namespace troupe::k8s::node {

// What the node's kubectl (kubectl.c) has to know of a container that runs, as
// a file in the pod's directory of these. Directories go by UID, links to them
// by name: a pod that was deleted by force may still be ending when the next of
// its name runs.

/// Makes the pod's directory, and `link` to it.
std::optional<failure>
make_exec_directory_and_link(const std::string& directory,
                             const std::string& link);

/// Removes the directory, and the link if it is not another pod's by now.
void remove_exec_directory_and_link(const std::string& directory,
                                    const std::string& link);

/// The container runs, under this reaper. `first`: it is the default where the
/// command names none.
std::optional<failure> write_exec_context(const std::string& directory,
                                          bool first, pid_t reaper,
                                          const container_plan& plan);

/// Instead of what it would have to know: a socket at the same place, on which
/// the container's reaper runs commands (namespaces/container_exec.h).
result<unique_descriptor> listen_for_exec(const std::string& directory,
                                          bool first,
                                          const std::string& container);

/// The container runs no longer.
void remove_exec_context(const std::string& directory,
                         const std::string& container);

} // namespace troupe::k8s::node
