#pragma once

#include "actors/base/protocols.hpp"
#include "actors/di_server/forwarding_key.hpp"
#include "actors/leadership/leader_elector.hpp"
#include "actors/leadership/other_operator_watch.hpp"
#include "actors/queueing/queueing_probe.hpp"
#include "actors/webhook/certificate_rotator.hpp"
#include "actors/webhook/known_queueing.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace troupe::actors {

class report_route;

/// The Lease, and what it is held for.
struct election_config {
  lease_config lease;
  /// Whether this process writes only while it holds the Lease. If not, the
  /// Lease only shows other operators that this one runs.
  bool required = true;
};

/// What the root needs. Parts of it are shared with the threads that serve
/// probes.
struct root_config {
  std::shared_ptr<k8s::api> client;
  std::shared_ptr<const actor_options> options;
  std::shared_ptr<metrics> counters;
  job_list_actor jobs;
  std::function<k8s::time_point()> clock;
  std::function<double()> jitter;
  std::vector<const core::framework*> kinds; ///< Job kinds to reconcile.
  /// Set while every watch is synced; with webhooks, those of kinds whose
  /// objects are converted are not waited for (docs/adr/, 0010).
  std::shared_ptr<std::atomic<bool>> ready;
  std::optional<election_config> election = std::nullopt;
  write_gate::clock since_boot = boot_clock::now;
  /// Nullopt: webhooks are not served.
  std::optional<certificate_rotator_config> webhooks = {};
  /// Nullopt: no requests to di-server are forwarded.
  std::optional<forwarding_key_config> forwarding = {};
  /// Nullopt: no other operator is looked for.
  std::optional<other_operator_config> other = {};
  /// Nullopt: jobs never wait for queues of Kueue's.
  std::optional<queueing_probe_config> queueing = {};
  /// Where the root writes what it hears of queueing; nullptr: nowhere.
  std::shared_ptr<known_queueing> known = nullptr;
  /// Where pods report how far their jobs are; nullptr: nowhere.
  std::shared_ptr<report_route> reports = nullptr;
  /// Where watchers write the addresses of pods; nullptr: nowhere.
  std::shared_ptr<job_pod_addresses> pod_addresses = nullptr;
};

} // namespace troupe::actors
