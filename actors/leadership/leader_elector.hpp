#pragma once

#include "actors/base/own_report.hpp"
#include "actors/base/protocols.hpp"
#include "actors/leadership/lease_election.hpp"
#include "actors/leadership/write_gate.hpp"

#include <functional>
#include <memory>

namespace troupe::actors {

class metrics;

/// What a leader elector is built from.
struct leader_elector_config {
  std::shared_ptr<k8s::api> client;
  lease_config lease;
  /// Opened while we hold the Lease. If this process writes in any case, and
  /// the Lease only shows others that it runs, no gateway asks the gate.
  std::shared_ptr<write_gate> gate;
  write_gate::clock since_boot;
  std::function<k8s::time_point()> clock; ///< Wall-clock time.
  std::function<double()> jitter;         ///< Uniform in [0, 1).
  std::shared_ptr<metrics> counters;
  /// Of the electors of this process, one after another; renewed before each
  /// call.
  std::shared_ptr<lease_writes> writes;
};

/// Takes and renews the Lease. Its calls do not go through a gateway: a leader
/// with a thousand waiting calls must renew in time. If the Lease cannot be
/// renewed, the gate closes by itself. The gateways then hold all writes until
/// the Lease is renewed, or, if another process has taken it, until the root
/// ends them.
class leader_elector_state {
public:
  static inline const char* name = "leader-elector";

  explicit leader_elector_state(leader_elector_actor::pointer self)
      : self_(self) {}

  void init(leader_elector_config config, leadership_listener_actor listener);
  void on_lease_response(const lease_response& a);
  void on_timer(const timer_fired& fired);
  /// Releases the Lease, after the call about it that is in flight has ended:
  /// that call may take the Lease, or change the version to release.
  caf::result<drained> on_drain();
  report_ptr report() const;

private:
  void send_acquire_or_renew();
  void send_lease_call(k8s::request r);
  void send_leadership_event(bool leads);
  void apply_election_step(lease_election::step step);
  std::string lease_name() const; ///< "namespace/name".
  void log_first_unexpected_failure(const k8s::failure& why);
  void on_response_while_stopping(const k8s::result<std::string>& outcome);
  void release_lease_or_finish_drain();
  void finish_drain();

  leader_elector_actor::pointer self_;
  leader_elector_config config_;
  leadership_listener_actor listener_;
  lease_election election_;
  bool failing_ = false; ///< The last call has failed, which is logged once.
  std::string holder_;   ///< As last logged.
  std::string identity_; ///< The same.
  caf::typed_response_promise<drained> draining_;
  bool stopping_ = false;
  bool is_released_ = false; ///< The last call gives the Lease back.
  bool is_call_under_way_ = false;
  std::uint64_t calls_ = 0; ///< Number of the latest call.
};

leader_elector_actor::behavior_type
leader_elector(self_pointer<leader_elector_actor, leader_elector_state> self,
               leader_elector_config config,
               leadership_listener_actor listener);

} // namespace troupe::actors
