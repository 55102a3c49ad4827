#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace troupe::actors {

/// What a job waits for, and who has to act.
struct waiting_reason {
  std::string what;       ///< "job-worker-1 to be scheduled: no node fits".
  std::string whose_move; ///< "the scheduler".
};

/// Derived from the report of the job's supervisor. nullopt: the job waits for
/// nothing, because it has ended and nothing is left to do.
std::optional<waiting_reason> find_waiting_reason(const nlohmann::json& report);

} // namespace troupe::actors
