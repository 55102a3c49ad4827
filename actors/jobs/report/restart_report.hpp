#pragma once

#include "frameworks/core/memory/job_memory.hpp"
#include "frameworks/core/memory/recovery_times.hpp"

#include <nlohmann/json_fwd.hpp>

namespace troupe::actors {

/// What a report says of restarts of the whole job, or of its replica types.
struct restart_report_inputs {
  const core::job_memory& memory;
  const core::job_status& status; ///< As decided so far.
  const core::job_status& saved;
  const core::recovery_times& times;
  k8s::time_point now;
};

/// Adds to the report of a job what there is of these:
///   "restart": the latest attempt, why it began, and how far it is;
///   "failurePolicy": the scope, and the budget;
///   "policyErrors": what is wrong with its policies, {"field", "text"} each;
///   "podsMadeBeforePolicy": how many are restarted by their kubelet;
///   "goodput": in how many seconds all replicas ran, or did not.
void add_restart_report(nlohmann::json& to, const restart_report_inputs& in);

} // namespace troupe::actors
