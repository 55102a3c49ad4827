#pragma once

#include "tests/simulation/json_access.hpp"

#include <random>

namespace troupe::simulation {

/// failurePolicy of a job with these replica types.
json random_failure_policy(const json& types, std::mt19937_64& random);
/// The same of successPolicy.
json random_progress_policy(std::mt19937_64& random);
json random_success_policy(const json& types, std::mt19937_64& random);

} // namespace troupe::simulation
