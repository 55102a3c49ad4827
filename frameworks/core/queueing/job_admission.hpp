#pragma once

#include "frameworks/core/model/job.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <vector>

namespace troupe::core {

// What an admission by Kueue writes into a job, and what its end takes out: as
// Kueue's own integration does it, so that jobs can change hands. All functions
// give the same when they are applied again.

/// The job as it is while it waits: suspended, and with what its templates had
/// when their owner wrote them, as its Workload has kept it. `workload`: null
/// if there is none.
nlohmann::json held_job(nlohmann::json object, const job& j,
                        const nlohmann::json& workload);

/// The names of the flavors that were granted, each once.
std::vector<std::string> granted_flavors(const nlohmann::json& workload);

struct started_job {
  nlohmann::json object;
  /// What of the admission contradicts the job's templates; "": nothing. Then
  /// the job cannot be started.
  std::string conflict;
};

/// The job as it is when it runs: not suspended, with what was granted in its
/// templates. `flavors`: the objects, by name.
started_job start_job(nlohmann::json object, const job& j,
                      const nlohmann::json& workload,
                      const std::map<std::string, nlohmann::json>& flavors);

} // namespace troupe::core
