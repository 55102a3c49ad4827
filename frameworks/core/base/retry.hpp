#pragma once

#include "k8s/objects.hpp"
#include "k8s/result.hpp"

#include <chrono>
#include <string>

namespace troupe::core {

// All rules of back-off. `attempt` counts consecutive failures, from 1;
// `jitter` in [0, 1) shortens a delay by up to half.

/// The delay before the `attempt`-th retry after `why`: doubling from 50 ms (5
/// s for errors that only a person can correct) to 60 s (5 s if the server
/// cannot be reached), never less than Retry-After.
std::chrono::milliseconds retry_delay_after(const k8s::failure& why,
                                            int attempt, double jitter);

/// The same for a watcher, which sees no changes until it lists or watches
/// again. An expired version is no failure: the first list is sent within 300
/// ms. After a failure of the server the delay is at most 5 s; after 403 and
/// 404 it doubles from 250 ms to 60 s: a server that has just started has
/// loaded neither its roles nor its CRDs.
std::chrono::milliseconds watch_retry_delay_after(const k8s::failure& why,
                                                  int attempt, double jitter);

/// Whether a wait from `begin` to `end` is over at `now`. It is over, too, if
/// `now` is before `begin`: the clock was set back, and nothing waits until it
/// has caught up.
bool has_wait_ended_or_clock_reset(k8s::time_point begin, k8s::time_point end,
                                   k8s::time_point now);

/// `most`, shortened by up to half.
std::chrono::milliseconds subtract_jitter(std::chrono::milliseconds most,
                                          double jitter);

/// Whether this failure may mean that the server is unavailable or not ready,
/// so that other calls would fail, too.
bool may_be_outage(k8s::ec code);

/// Whether calls may be sent after this response to /readyz. They may be sent
/// after 401, 403 and 404, too, which show that the server works; except if it
/// could not be reached before: then it may be starting, and has not loaded its
/// roles.
bool answer_means_server_ready(const k8s::result<std::string>& answer,
                               bool was_unreachable);

/// The delay between the end of a pod that failed early and its replacement; it
/// is the `in_a_row`-th (from 1) early failure in its slot: the first at once,
/// then 10 s, doubling to 5 min.
std::chrono::seconds replacement_delay_after_early_failures(int in_a_row);

} // namespace troupe::core
