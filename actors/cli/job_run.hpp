#pragma once

#include "actors/cli/run_options.hpp"
#include "actors/cli/run_target.hpp"
#include "actors/cli/screen.hpp"
#include "actors/cli/signals.hpp"
#include "actors/cli/workload.hpp"
#include "k8s/objects.hpp"

namespace troupe::cli {

/// Shows a job that has been created until it ends, or ends it: when a signal
/// comes, when its time is up, or when a replica can never start. Says what
/// became of it, and returns the exit code (see run_job).
int follow_job(const run_options& o, const workload& load, run_target& where,
               const k8s::resource& type, screen& out, signals& stop);

} // namespace troupe::cli
