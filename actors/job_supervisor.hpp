#pragma once

#include "actors/gang_inquiry.hpp"
#include "actors/protocols.hpp"
#include "actors/status_writer.hpp"
#include "frameworks/core/plan.hpp"
#include "k8s/calls.hpp"

#include <deque>
#include <map>
#include <set>
#include <string>

namespace troupe::actors {

class pass_meter;

/// How a supervisor begins: with the first fact about its job, or, after its
/// predecessor died, by reading everything again.
struct supervisor_config {
  std::shared_ptr<const job_reference> job;
  bool recover = false;
};

/// Looks after one job: folds facts into memory and queues at most one pass; a
/// pass lets `core::plan` decide and hands each decision on. Holds no policy
/// and does no I/O of its own; its memory is the only cache of the job's
/// children. Ends when the directory says so.
class job_supervisor_state {
public:
  static inline const char* name = "job-supervisor";

  explicit job_supervisor_state(job_supervisor_actor::pointer self)
      : self_(self)
      , inquiry_(*this) {}
  ~job_supervisor_state();

  void init(links_ptr out, supervisor_config config);

  // Facts: they only change memory and ask for a pass.
  void saw_job(const job_seen& fact);
  void saw(const child_seen& fact);
  void lost(const child_gone& fact);
  void swept(const list_complete& fact);

  // Reports of the groups.
  void done(const order_done& report);
  void refused(const order_failed& report);
  void revoked(const orders_cancelled& report);

  void answered(const api_answer& a);
  void woke(const woke_up& w);
  void reconcile();
  void ends(const caf::error& why);
  report_ptr report() const;
  caf::result<report_ptr> tree();

private:
  friend class gang_inquiry;

  struct noted {
    k8s::time_point at;
    std::string decision;
  };

  enum call_kind : std::uint64_t {
    write_status,
    read_job,
    remove_job,
    read_group_events,
    read_queue,
    recover_children, ///< And all above: one for each round and child kind.
  };

  void reconcile_soon();
  void adopt_job(const k8s::object& item);
  void take_child(core::child_kind kind, const k8s::object& item,
                  std::uint64_t listing, std::uint64_t existed_at_version = 0);
  void forget_recorded_restarts();
  void dispatch(const std::vector<core::decision>& decisions);
  bool is_restart(const core::decision& d) const;
  void expect(const core::decision& d, k8s::time_point now);
  replica_group_actor& group_for(const std::string& type);
  void remove_the_job(const core::remove_job& d);
  void record(const core::job_event& event);
  void record_all(const std::vector<core::job_event>& all);
  void tell_of_removal();
  void note(std::string text);
  void call(std::uint64_t kind, k8s::request r,
            priority when = priority::normal);
  void wake_at(k8s::time_point when);
  std::vector<core::child_kind> children() const;
  bool concerns_us(core::child_kind kind, const k8s::object& item) const;
  void recover();
  void recovered(core::child_kind kind, const k8s::result<std::string>& r);
  /// Sends what is to be written of the status; returns when to look again.
  std::optional<k8s::time_point> write_due_status();
  void status_was_written(const k8s::result<std::string>& r);
  void job_was_read(const k8s::result<std::string>& r);
  void job_was_removed(const k8s::result<std::string>& r);
  k8s::object_ref job_ref() const;
  k8s::time_point now() const { return out_->clock(); }

  job_supervisor_actor::pointer self_;
  links_ptr out_;
  std::shared_ptr<const job_reference> ref_;
  pass_meter* meter_ = nullptr; ///< Of our kind; the counters outlive us.

  // Memory.
  core::job_ptr job_;
  core::observed seen_;
  core::expectations open_;
  core::job_status status_;     ///< As decided so far.
  std::uint64_t version_ = 0;   ///< Of the job, the newest known.
  status_writer status_writer_; ///< What the server holds of it.
  gang_inquiry inquiry_;

  // Orders under way, by id, for reports; the groups carry them out. As long as
  // there are any, an answer may still show an object that is gone already: the
  // UIDs of those are in gone_early_, so that they are not taken in again.
  std::map<std::uint64_t, core::decision> orders_;
  std::set<std::string> gone_early_;
  std::set<std::uint64_t> restarts_; ///< Orders that restart a replica.
  std::uint64_t next_order_ = 1;
  std::map<std::string, replica_group_actor> groups_;

  // Time.
  bool pass_queued_ = false;
  caf::actor_clock::time_point queued_at_{};
  std::uint64_t wake_turn_ = 0;
  std::optional<k8s::time_point> wake_at_;

  // Life.
  int to_recover_ = 0; ///< Answers still needed before the first pass.
  int recover_attempts_ = 0;
  std::uint64_t recover_round_ = 0;
  std::optional<k8s::time_point> removal_held_until_;
  bool removal_under_way_ = false;
  int removal_attempts_ = 0;

  // For people.
  k8s::time_point created_{};
  std::string verdict_;
  std::deque<noted> notes_; ///< The last decisions, newest last.
  std::uint64_t passes_ = 0;
};

job_supervisor_actor::behavior_type job_supervisor(
    job_supervisor_actor::stateful_pointer<job_supervisor_state> self,
    links_ptr out, supervisor_config config);

} // namespace troupe::actors
