#pragma once

#include "actors/cli/run/run_options.hpp"

namespace troupe::cli {

/// Runs one job from its manifest to its end. Returns the exit code: 0 the job
/// succeeded, 1 it failed, 2 usage error, 124 out of time, 130 stopped by the
/// user.
int run_job(const run_options& o);

} // namespace troupe::cli
