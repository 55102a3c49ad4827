#pragma once

#include "tests/simulation/simulated_cluster.hpp"

#include <memory>
#include <string>
#include <vector>

namespace troupe::simulation {

/// A kind of jobs that is simulated. Of a kind with several API versions each
/// has a name of its own.
struct simulated_kind {
  std::string name; ///< "TFJob".
  const core::framework* row = nullptr;
  std::unique_ptr<simulated_cluster> (*make_cluster)(
      std::uint64_t seed, const core::framework& row,
      std::shared_ptr<simulated_api_server> api) = nullptr;
  int steps = 300; ///< Of one life, before faults and users stop.
  int rarer = 1;   ///< In the stage, so many times fewer lives.
};

/// Every kind that the operator has.
const std::vector<simulated_kind>& simulated_kinds();

} // namespace troupe::simulation
