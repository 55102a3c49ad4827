#pragma once

#include "k8s/result.hpp"

#include <chrono>

namespace troupe::core {

/// How long to wait before the `attempt`-th (from 1) retry after `why`. The
/// one place that knows back-off: doubling from 50 ms (5 s for refusals that
/// need a person) to 60 s, never less than the server asked for; `jitter` in
/// [0, 1) spreads equal waits by up to half.
std::chrono::milliseconds delay_after(const k8s::failure& why, int attempt,
                                      double jitter);

} // namespace troupe::core
