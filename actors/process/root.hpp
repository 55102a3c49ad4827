#pragma once

#include "actors/api/watcher.hpp"
#include "actors/base/own_report.hpp"
#include "actors/base/protocols.hpp"
#include "actors/di_server/forwarding_key.hpp"
#include "actors/leadership/leader_elector.hpp"
#include "actors/webhook/certificate_rotator.hpp"

#include <atomic>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace troupe::actors {

/// What the Lease is held for.
struct election_config {
  lease_config lease;
  /// Whether this process writes only while it holds the Lease. If not, the
  /// Lease only shows other operators that this one runs.
  bool required = true;
};

/// What the root is built from. Shared with the threads that serve probes.
struct root_config {
  std::shared_ptr<k8s::api> client;
  std::shared_ptr<const actor_options> options;
  std::shared_ptr<metrics> counters;
  job_list_actor jobs;
  std::function<k8s::time_point()> clock;
  std::function<double()> jitter;
  std::vector<const core::framework*> kinds; ///< Job kinds to reconcile.
  /// Every watch is synced; with webhooks, except for those of kinds whose
  /// objects are converted (docs/adr/, 0010).
  std::shared_ptr<std::atomic<bool>> ready;
  /// Called whenever `ready` becomes true.
  std::function<void()> on_ready = [] {};
  std::optional<election_config> election = std::nullopt;
  write_gate::clock since_boot = boot_clock::now;
  /// Nullopt: webhooks are not served.
  std::optional<certificate_rotator_config> webhooks = {};
  /// Nullopt: no requests to di-server are forwarded.
  std::optional<forwarding_key_config> forwarding = {};
  /// Where the watchers write the addresses of pods; nullptr: nowhere.
  std::shared_ptr<job_pod_addresses> pod_addresses = nullptr;
};

/// Starts every actor and restarts those that fail: a watcher alone, any other
/// together with all the others, because they hold references to it. All state
/// is read again from the cluster.
///
/// With a leader election, the watchers and the directory run in a standby,
/// too. A leader that has lost the Lease stops all actors, with the calls that
/// wait in them, and starts them again as a standby.
class root_state {
public:
  static inline const char* name = "root";

  explicit root_state(root_actor::pointer self)
      : self_(self) {}

  void init(root_config config) { config_ = std::move(config); }
  void on_start();
  void on_watcher_synced(const watcher_synced& s);
  void on_server_went_back(const server_went_back& s);
  void on_leadership_acquired();
  void on_leadership_lost();
  void on_leadership_resumed();
  void on_actor_options_changed(const actor_options_changed& c);
  void on_actor_exit(const caf::exit_msg& m);
  void on_timer(const timer_fired& fired);
  caf::result<drained> on_drain();
  caf::result<job_response> on_job_request(const request_to_job& request);
  caf::result<job_responses> on_jobs_request(const request_to_jobs& request);
  caf::result<report_ptr> forward_job_report_request(const get_job_report& w);
  /// `question`: to each actor that the root has started.
  template <class Question>
  caf::result<report_ptr>
  reply_with_report_tree(Question question, std::chrono::milliseconds patience);

private:
  bool is_election_required() const {
    return config_.election && config_.election->required;
  }
  void start_leader_elector();
  void start_certificate_rotator();
  void start_forwarding_key();
  void make_watcher_configs();
  void start_directories();
  /// What jobs may have beside pods and services.
  std::set<core::child_kind> auxiliary_kinds_to_watch() const;
  void start_watcher(std::size_t number);
  void restart_all_actors_after(std::chrono::milliseconds delay);
  /// Of an actor whose failure restarts all of them; nullptr: of another.
  const char* name_of_essential_actor(const caf::actor_addr& source) const;
  void restart_watcher_later(std::size_t number, const caf::error& why);
  void stop_all_actors();
  bool is_needed_to_be_ready(const watcher_config& watch) const;
  void update_readiness();
  std::optional<job_response> unavailable_response_unless_synced() const;
  void release_lease(caf::typed_response_promise<drained> promise);

  root_actor::pointer self_;
  root_config config_;
  context_ptr context_;
  leader_elector_actor elector_;
  std::shared_ptr<lease_writes> lease_writes_ =
      std::make_shared<lease_writes>(); ///< Of all electors.
  /// nullptr if this process writes in any case.
  std::shared_ptr<write_gate> gate_;
  bool leading_ = true;
  server_probe_actor probe_;
  certificate_rotator_actor rotator_;   ///< Null without webhooks.
  forwarding_key_actor forwarding_key_; ///< Null without forwarding.
  directory_shards directories_;
  std::vector<watcher_config> watches_;
  /// By number; null between a failure and the restart.
  std::vector<watcher_actor> watchers_;
  std::set<std::size_t> synced_;
  std::map<std::uint64_t, std::size_t> restart_timers_; ///< Timer -> watcher.
  std::uint64_t restart_all_timer_ = 0; ///< Timer that starts everything again.
  std::uint64_t next_timer_ = 1;
  int crashes_ = 0;
  bool stopping_ = false;
  std::size_t draining_ = 0;
  caf::actor_clock::time_point drain_until_{};
};

root_actor::behavior_type root(self_pointer<root_actor, root_state> self,
                               root_config config);

} // namespace troupe::actors
