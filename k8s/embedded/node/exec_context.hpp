#pragma once

#include "k8s/embedded/node/container_plan.hpp"

#include <sys/types.h>

namespace troupe::k8s::embedded {

// What the node's kubectl (kubectl.c) has to know of a container that runs, as
// a file in the pod's directory of these.

/// Tells that the container runs, under this reaper. `first` says that it is
/// meant where none is named.
std::optional<failure> write_context(const std::string& directory, bool first,
                                     pid_t reaper, const container_plan& plan);

/// The container runs no longer.
void remove_context(const std::string& directory, const std::string& container);

} // namespace troupe::k8s::embedded
