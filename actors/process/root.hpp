#pragma once

#include "actors/base/own_report.hpp"
#include "actors/process/essential_actors.hpp"

#include <map>
#include <optional>
#include <set>
#include <vector>

namespace troupe::actors {

/// Starts every actor and restarts those that fail: a watcher alone, any other
/// together with all others, because they hold references to it. All state is
/// read again from the cluster.
///
/// With a leader election, the watchers and the directories run in a standby,
/// too. A leader that has lost the Lease stops all actors except the elector,
/// with the calls that wait in them, and starts them again as a standby.
class root_state {
public:
  static inline const char* name = "root";

  explicit root_state(root_actor::pointer self)
      : self_(self) {}

  void init(root_config config) { config_ = std::move(config); }
  /// At the start, and after all were stopped. A leader elector that runs
  /// stays.
  void start_all_actors();
  void on_watcher_synced(const watcher_synced& s);
  void on_server_went_back(const server_went_back& s);
  void on_leadership_acquired();
  void on_leadership_lost();
  void on_leadership_resumed();
  void on_actor_options_changed(const actor_options_changed& c);
  void on_queueing_changed(const queueing_changed& c);
  void on_actor_exit(const caf::exit_msg& m);
  void on_timer(const timer_fired& fired);
  caf::result<drained> on_drain();
  caf::result<job_response> on_job_request(const request_to_job& request);
  caf::result<job_responses> on_jobs_request(const request_to_jobs& request);
  caf::result<report_answer> on_progress_report(const report_to_job& report);
  caf::result<report_ptr> forward_job_report_request(const get_job_report& w);
  /// `question`: to each actor that the root has started.
  template <class Question>
  caf::result<report_ptr>
  reply_with_report_tree(Question question, std::chrono::milliseconds patience);

private:
  const context_ptr& context() const { return essential_.context(); }
  const directory_shards& directories() const {
    return essential_.directories();
  }
  bool is_election_required() const {
    return config_.election && config_.election->required;
  }
  void start_leader_elector();
  void start_watcher(std::size_t number);
  /// All except the leader elector.
  void restart_all_except_elector_after(std::chrono::milliseconds delay);
  /// Of an actor whose failure restarts all of them; nullptr if it is another
  /// actor.
  const char* name_of_essential_actor(const caf::actor_addr& source) const;
  void restart_watcher_later(std::size_t number, const caf::error& why);
  /// All except the leader elector; the operator is not ready then.
  void stop_all_actors_except_elector();
  void update_readiness();
  std::optional<job_response> unavailable_response_unless_synced() const;
  void release_lease_then_reply(caf::typed_response_promise<drained> promise);

  root_actor::pointer self_;
  root_config config_;
  leader_elector_actor elector_;
  /// Of all electors.
  std::shared_ptr<lease_writes> lease_writes_ =
      std::make_shared<lease_writes>();
  /// nullptr if this process may always write.
  std::shared_ptr<write_gate> gate_;
  bool leading_ = true;
  essential_actors essential_; ///< None between a failure and the restart.
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
