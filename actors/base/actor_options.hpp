#pragma once

#include "frameworks/core/model/framework.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace troupe::actors {

/// Options of the actors, as plain values. Filled from the settings by
/// operator_process; tests fill it as they like.
struct actor_options {
  std::vector<std::string> namespaces{""}; ///< "" means all of them.
  std::vector<std::string> kinds;          ///< Job kinds; empty means all.
  int gateways = 1;
  int directories = 1;
  int child_watchers = 1;      ///< Of pods, and of services, per namespace.
  int window_first = 16;       ///< Calls in flight at first, per gateway.
  int window_most = 64;        ///< Calls in flight at most, per gateway.
  double calls_per_second = 0; ///< 0: no limit.
  int calls_burst = 0;         ///< Only with a limit.
  int namespace_window = 0;    ///< Calls in flight of one namespace's jobs, per
                               ///< gateway; 0: no limit.
  int group_window_first = 8;  ///< Orders in flight at first, per group.
  int group_window_most = 64;
  int events_in_flight = 4; ///< Event writes in flight at most.
  int list_page = 500;      ///< Objects per page of a list.
  std::chrono::milliseconds call_limit{30'000};  ///< One call, at most.
  std::chrono::milliseconds watch_idle{150'000}; ///< Silence before a watch is
                                                 ///< given up; servers send a
                                                 ///< bookmark each minute.
  /// timeoutSeconds of a watch, plus jitter.
  std::chrono::seconds watch_limit{600};
  std::chrono::milliseconds status_interval{1'000}; ///< Between writes of
                                                    ///< counts, per job.
  std::chrono::milliseconds drain{4'000}; ///< For calls in flight at shutdown.
  /// Whether jobs are reconciled. If not, another process does that, and this
  /// one carries out requests of jobs' pods only.
  bool reconcile_enabled = true;
  core::cluster_options cluster; ///< For the bodies of pods.
};

} // namespace troupe::actors
