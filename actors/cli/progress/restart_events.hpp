#pragma once

#include "actors/cli/progress/progress.hpp"

#include <string>

namespace troupe::cli {

/// What is to be told of restarts when the job `title` is no longer as before:
/// what comes next, and that all run again. The condition says why.
run_events restart_events(const std::string& title, const job_view& before,
                          const job_view& now);

/// That a pod runs in the place of one that failed and was replaced alone.
run_event replacement_event(const std::string& title, const replica_view& pod,
                            const std::optional<k8s::time_point>& failed_at);

} // namespace troupe::cli
