#pragma once

#include "actors/cli/base/signals.hpp"
#include "actors/cli/manifest/workload.hpp"
#include "actors/cli/progress/screen.hpp"
#include "actors/cli/run/run_options.hpp"
#include "actors/cli/run/run_target.hpp"
#include "k8s/objects.hpp"

#include <vector>

namespace troupe::cli {

/// Shows created jobs until they end. Ends them when a signal comes, when their
/// time is up, or when a replica can never start. Says how each ended, and
/// returns the highest of their exit codes (see run_command). `types` are the
/// jobs' resources.
int follow_jobs_and_print_results(const run_options& o, const workload& load,
                                  run_target& where,
                                  const std::vector<k8s::resource>& types,
                                  screen& out, signals& stop);

} // namespace troupe::cli
