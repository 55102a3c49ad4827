#pragma once

#include "actors/base/own_report.hpp"
#include "actors/base/protocols.hpp"
#include "actors/jobs/child_routes.hpp"
#include "actors/jobs/job_supervisor.hpp"
#include "frameworks/core/base/uid_key.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace troupe::actors {

/// Knows the supervisor of each job of its share (see directory_shards), and
/// sends it the facts about its children, whose job `child_routes` says. Spawns
/// a supervisor when its job appears, terminates it when the job is deleted,
/// and restarts a failed one after a delay. Decides nothing about jobs.
///
/// No supervisor is started before all child kinds are synced: a first
/// reconcile with an incomplete cache would create what already exists. Nor is
/// one started before this process leads; a standby keeps the latest fact about
/// each job and child, so that it can reconcile at once when it leads.
class directory_state {
public:
  static inline const char* name = "directory";

  explicit directory_state(directory_actor::pointer self)
      : self_(self) {}

  /// `child_targets`: what must be listed before work begins.
  void init(context_ptr context, std::vector<watch_target> child_targets,
            bool is_leader);
  void on_leadership_acquired();
  void on_job_seen(const job_seen& fact);
  void on_job_deleted(const job_deleted& fact);
  void on_child_seen(const child_seen& fact);
  void on_child_deleted(const child_deleted& fact);
  void on_list_complete(const list_complete& fact);
  void on_peer_directories(const peer_directories& peers) {
    peers_ = peers.all;
  }
  void on_child_moved(const child_moved& m);
  void on_other_operator_changed();
  void on_report_authority_changed();
  void on_exit(const caf::exit_msg& m);
  void on_timer(const timer_fired& fired);
  caf::result<job_response> on_job_request(const request_to_job& request);
  caf::result<report_answer> on_progress_report(const report_to_job& report);
  caf::result<job_responses> on_jobs_request(const request_to_jobs& request);
  caf::result<report_ptr> forward_job_report_request(const get_job_report& w);
  report_ptr report() const;
  caf::result<report_ptr> reply_with_report_tree();

private:
  struct entry {
    std::shared_ptr<const job_reference> ref;
    /// Null between a failure and the restart.
    job_supervisor_actor supervisor;
    std::uint64_t list_number = 0;
    std::uint64_t version = 0;
    int crashes = 0;
  };

  nlohmann::json short_report() const;
  bool can_start_supervisors() const { return leading_ && unlisted_.empty(); }
  void start_held_jobs_if_possible();
  /// Versions of one definition have a watch each, and all show all its jobs.
  bool is_known_of_other_row(const job_seen& fact) const;
  void record_job_and_spawn_supervisor(const job_seen& fact);
  void forget_job_and_stop_supervisor(const core::uid_key& uid);
  void spawn_supervisor(entry& e, supervisor_config config);
  /// Null also if there is no such job.
  const job_supervisor_actor& supervisor_of(const core::uid_key* uid) const;
  template <class Fact>
  void send_to_supervisor_if_any(const core::uid_key* uid, const Fact& fact);
  bool may_have_children(const core::framework& kind,
                         core::child_kind what) const;
  void stop_and_forget_unlisted_jobs(const list_complete& fact);
  /// A Workload that is being deleted; `is_of_known_job`: its supervisor looks
  /// after it for now.
  void note_leaving_workload(const child_seen& fact, bool is_of_known_job);
  void forget_leaving_workload(const k8s::object_meta& workload);
  void release_workloads_of_job(const std::string& job_uid);

  directory_actor::pointer self_;
  context_ptr context_;
  std::vector<peer_directory_actor> peers_;
  std::vector<watch_target> unlisted_; ///< Children not listed yet.
  bool leading_ = true;
  /// Jobs that wait for that, by UID: the latest fact.
  std::map<std::string, job_seen> held_;
  std::map<core::uid_key, entry> jobs_; ///< By UID.
  child_routes routes_;
  /// Workloads that are being deleted, by the UID of their job and their own:
  /// to be released when the job is gone, by the process that leads.
  std::map<std::string, std::map<std::string, release_workload>>
      leaving_workloads_;
  std::set<const core::framework*> listed_job_kinds_;
  std::set<caf::actor_addr> retired_;                     ///< On their way out.
  std::map<std::uint64_t, core::uid_key> restart_timers_; ///< To jobs' UIDs.
  std::uint64_t next_timer_ = 1;
};

directory_actor::behavior_type
directory(self_pointer<directory_actor, directory_state> self,
          context_ptr context, std::vector<watch_target> child_targets,
          bool is_leader = true);

} // namespace troupe::actors
