#pragma once

#include "frameworks/core/model/framework.hpp"

namespace troupe::frameworks {

// What an MPIJob has beyond its row. Used by mpi.cpp only.

/// Gives a worker the script that reaches other pods, and the command `sleep`
/// unless it has a command. Gives the launcher its service account, kubectl
/// from an init container, the host files, and the environment of Open MPI and
/// Intel MPI.
void customize_mpi_pod_spec(nlohmann::json& spec, const core::job& j,
                            const core::slot& at,
                            const core::cluster_options& cluster);

/// A service account with the right to exec into the workers, and a config map
/// with hostfile, discover_hosts.sh and kubexec.sh.
std::vector<core::auxiliary_object>
mpi_auxiliary_objects(const core::job& j, const core::observed_children& seen,
                      const core::cluster_options& cluster);

/// The error of a job whose config map would be larger than an API server
/// stores.
std::vector<core::field_error> mpi_config_map_size_errors(const core::job& j);

} // namespace troupe::frameworks
