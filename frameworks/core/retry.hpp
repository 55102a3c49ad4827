#pragma once

#include "k8s/result.hpp"

#include <chrono>
#include <string>

namespace troupe::core {

// The one place that knows back-off. `attempt` counts failures in a row, from
// 1; `jitter` in [0, 1) spreads equal waits by up to half.

/// How long to wait before the `attempt`-th retry after `why`: doubling from
/// 50 ms (5 s for refusals that need a person) to 60 s (5 s if the server
/// cannot be reached), never less than the server asked for.
std::chrono::milliseconds delay_after(const k8s::failure& why, int attempt,
                                      double jitter);

/// The same for a watcher, which is blind until it has listed or watches again.
/// A version that has expired is no trouble: the first list comes at once,
/// spread over 300 ms. Trouble of the server's costs 5 s at most. A refusal
/// (403, 404) is asked about again after 250 ms, doubling to 60 s: a server
/// that has just started knows neither its roles nor its definitions.
std::chrono::milliseconds watch_delay_after(const k8s::failure& why,
                                            int attempt, double jitter);

/// `most`, or up to half of it less.
std::chrono::milliseconds spread(std::chrono::milliseconds most, double jitter);

/// Whether a call that failed so may have met a server that is away or not
/// ready, so that others would fail, too.
bool may_be_outage(k8s::ec code);

/// Whether this answer to /readyz lets calls be made. A refusal (401, 403, 404)
/// does: somebody is there and serves. But not of a server that could not be
/// reached before: it may be starting, and has not read its roles.
bool is_ready(const k8s::result<std::string>& answer, bool was_unreachable);

/// How long after its end a pod is replaced that failed early, the
/// `in_a_row`-th (from 1) of its replica: the first at once, then 10 s,
/// doubling to 5 min.
std::chrono::seconds replacement_delay(int in_a_row);

} // namespace troupe::core
