#pragma once

#include "frameworks/core/model/framework.hpp"

#include <string>
#include <vector>

namespace troupe::frameworks::mpi_ssh {

/// All errors of an MPIJob v2beta1, in the words and the order of mpi-operator.
std::vector<core::field_error> find_job_errors(const std::string& name,
                                               const nlohmann::json& spec);

/// The errors of a job whose config map would be larger than an API server
/// stores.
std::vector<core::field_error> find_config_map_size_errors(const core::job& j);

} // namespace troupe::frameworks::mpi_ssh
