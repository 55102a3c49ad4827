#pragma once

#include "frameworks/core/model/framework.hpp"

#include <optional>
#include <string>

namespace troupe::frameworks::mpi_ssh {

// What an MPIJob v2beta1 has beside its workers and its launcher.

/// The headless Service that gives each pod a name.
core::auxiliary_object service_object(const core::job& j);

/// The key pair; only its names of keys are compared.
core::auxiliary_object secret_object(const core::job& j);

/// hostfile, and discover_hosts.sh with the workers that run now.
core::auxiliary_object config_map_object(const core::job& j,
                                         const core::observed_children& seen,
                                         const core::cluster_options& cluster);

/// None without gang scheduling.
std::optional<core::auxiliary_object>
pod_group_object(const core::job& j, const core::observed_children& seen,
                 const core::cluster_options& cluster);

/// The same object, which also takes away what others have added to `data` of
/// the one on the server, whose JSON text this is.
core::auxiliary_object without_added_data(core::auxiliary_object wanted,
                                          const std::string& stored_body);

/// Whether `data` of such a Secret has exactly the two names of keys.
bool has_both_keys_only(const std::string& stored_body);

} // namespace troupe::frameworks::mpi_ssh
