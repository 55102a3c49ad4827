#pragma once

#include "k8s/node/base/unique_descriptor.hpp"
#include "k8s/node/containers/container_plan.hpp"

#include <sys/types.h>

namespace troupe::k8s::node {

// The node's kubectl (kubectl.c) reads what it needs of a running container
// from a file in a directory of the pod. Directories are named by UID and links
// to them by the pod's name: a pod that was deleted by force may still be
// ending when the next pod of its name runs.

/// Makes the pod's directory, and puts `link` to it in the place of an older
/// link.
std::optional<failure>
make_exec_directory_and_link(const std::string& directory,
                             const std::string& link);

/// Removes the directory, and the link unless it leads to another pod's by now.
void remove_exec_directory_and_link(const std::string& directory,
                                    const std::string& link);

/// Writes the file of a container that runs under this reaper. `is_default`:
/// commands that name no container run in this one.
std::optional<failure> write_exec_context(const std::string& directory,
                                          bool is_default, pid_t reaper,
                                          const container_plan& plan);

/// Makes a socket in the place of the file, on which the container's reaper
/// takes commands (namespaces/container_exec.h).
result<unique_descriptor> listen_for_exec(const std::string& directory,
                                          bool is_default,
                                          const std::string& container);

/// The container runs no longer: removes its file or socket.
void remove_exec_context(const std::string& directory,
                         const std::string& container);

} // namespace troupe::k8s::node
