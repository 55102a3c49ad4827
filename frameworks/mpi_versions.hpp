#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace troupe::frameworks {

/// A warning for each field of the spec of an MPIJob of v1 that only jobs of
/// v2beta1 use; one for what a write through v2beta1 fills in there is not
/// worth it.
std::vector<std::string> warn_of_v2beta1_fields(const nlohmann::json& spec);

/// The same the other way round: the schemas of both versions have the fields
/// of both.
std::vector<std::string> warn_of_v1_fields(const nlohmann::json& spec);

} // namespace troupe::frameworks
