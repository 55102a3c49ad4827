#pragma once

#include "frameworks/core/model/framework.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace troupe::actors {

/// Options of the actors, as plain values. They are made from the settings
/// (process/operator_options), which have the defaults.
struct actor_options {
  std::vector<std::string> namespaces; ///< "" means all of them.
  int gateways = 0;
  int directories = 0;
  int child_watchers = 0;      ///< Of pods, and of services, per namespace.
  int window_first = 0;        ///< Calls in flight at first, per gateway.
  int window_most = 0;         ///< Calls in flight at most, per gateway.
  double calls_per_second = 0; ///< 0: no limit.
  int calls_burst = 0;         ///< Only with a limit.
  /// Calls in flight of one namespace's jobs, per gateway; 0: no limit.
  int namespace_window = 0;
  int group_window_first = 0; ///< Orders in flight at first, per group.
  int group_window_most = 0;
  int events_in_flight = 0;               ///< Event writes in flight at most.
  int log_streams = 0;                    ///< Logs that are read at a time.
  int list_page = 0;                      ///< Objects per page of a list.
  std::chrono::milliseconds call_limit{}; ///< One call, at most.
  /// Silence after which a watch is given up; servers send a bookmark each
  /// minute.
  std::chrono::milliseconds watch_idle{};
  /// timeoutSeconds of a watch, plus jitter.
  std::chrono::seconds watch_limit{};
  /// Between writes of counts, per job.
  std::chrono::milliseconds status_interval{};
  std::chrono::milliseconds drain{}; ///< For calls in flight at shutdown.
  /// Whether jobs are reconciled. If not, another process reconciles them, and
  /// this one only carries out the requests of jobs' pods.
  bool reconcile_enabled = true;
  core::cluster_options cluster; ///< For the bodies of pods.
};

} // namespace troupe::actors
