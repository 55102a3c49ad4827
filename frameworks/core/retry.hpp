#pragma once

#include "k8s/result.hpp"

#include <chrono>

namespace troupe::core {

// The one place that knows back-off.

/// How long to wait before the `attempt`-th (from 1) retry after `why`:
/// doubling from 50 ms (5 s for refusals that need a person) to 60 s, never
/// less than the server asked for; `jitter` in [0, 1) spreads equal waits by up
/// to half.
std::chrono::milliseconds delay_after(const k8s::failure& why, int attempt,
                                      double jitter);

/// How long after its end a pod is replaced that failed early, the
/// `in_a_row`-th (from 1) of its replica: the first at once, then 10 s,
/// doubling to 5 min.
std::chrono::seconds replacement_delay(int in_a_row);

} // namespace troupe::core
