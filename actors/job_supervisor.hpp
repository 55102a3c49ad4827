#pragma once

#include "actors/gang_inquiry.hpp"
#include "actors/job_requests.hpp"
#include "actors/job_startup.hpp"
#include "actors/job_timeline.hpp"
#include "actors/metrics.hpp"
#include "actors/own_report.hpp"
#include "actors/protocols.hpp"
#include "actors/recovery.hpp"
#include "actors/replica_group.hpp"
#include "actors/status_writer.hpp"
#include "frameworks/core/job_memory.hpp"

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace troupe::actors {

/// `recover`: the predecessor failed, so the job and its children are read from
/// the API server first.
struct supervisor_config {
  std::shared_ptr<const job_reference> job;
  bool recover = false;
};

/// Reconciles one job: records facts in `job_memory` and queues at most one
/// reconcile, which calls `core::plan` and sends each decision to a replica
/// group. Contains no policy; its memory is the only cache of the job's
/// children. Terminated by the directory when the job is deleted.
class job_supervisor_state {
public:
  static inline const char* name = "job-supervisor";

  explicit job_supervisor_state(job_supervisor_actor::pointer self)
      : self_(self) {}
  ~job_supervisor_state();

  void init(context_ptr context, supervisor_config config);

  // Facts: update the memory and enqueue a reconcile.
  void on_job_seen(const job_seen& fact);
  void on_child_seen(const child_seen& fact);
  void on_child_deleted(const child_deleted& fact);
  void on_list_complete(const list_complete& fact);

  // Results of orders, from the replica groups.
  void on_order_done(const order_done& report);
  void on_order_failed(const order_failed& report);
  void on_orders_cancelled(const orders_cancelled& report);

  /// A request of one of the job's pods; see job_request_steps.cpp.
  caf::result<job_response> on_asked(const ask_job& question);

  void on_api_response(const api_response& a);
  void on_timer(const timer_fired& fired);
  void on_exit(const caf::error& why);
  void reconcile();
  report_ptr report() const;
  caf::result<report_ptr> tree();
  job_row row() const;

private:
  struct note {
    k8s::time_point at;
    std::string text;
  };

  /// The purpose of a call that the supervisor makes itself.
  enum class call_kind {
    write_status,
    read_job,
    delete_job,
    read_group_events,
    read_queue,
    list_children,
    read_for_request,
  };
  struct own_call {
    call_kind kind;
    core::child_kind listed = core::child_kind::pod; ///< Of list_children.
    std::uint64_t number = 0;                        ///< Of read_for_request.
  };

  // Facts and results of orders.
  void apply_observed_job(const k8s::object& item);
  /// Emits the events, updates the metrics, and enqueues a reconcile if needed.
  void apply_change(const core::memory_change& change);

  // Reconciling.
  void enqueue_reconcile();
  /// Returns the numbers of the orders, in the order of the decisions.
  std::vector<std::uint64_t>
  dispatch(const std::vector<core::decision>& decisions);
  replica_group_actor& get_or_spawn_group(const group_id& which);
  void requeue_at(k8s::time_point when);
  void update_job_metrics();

  // Calls that it makes itself: see job_calls.cpp.
  void call(own_call what, k8s::request r,
            call_priority priority = call_priority::normal);
  /// Writes the status if that is due; otherwise returns when it will be.
  std::optional<k8s::time_point> send_due_status_write();
  void count_end(bool succeeded, bool failed);
  void on_status_written(const k8s::result<std::string>& r);
  void on_job_read(const k8s::result<std::string>& r);
  void delete_job_unless_held(const core::delete_job& d);
  void on_job_delete_answered(const k8s::result<std::string>& r);
  void record_job_deletion();
  void read_job();
  void read_job_again_after(std::chrono::milliseconds delay);
  void begin_recovery();
  void list_children();
  void on_children_listed(core::child_kind kind,
                          const k8s::result<std::string>& r);
  /// Queries why the pod group is not admitted, if the query is due; returns
  /// when the next one is.
  std::optional<k8s::time_point> query_gang_reason_if_due();
  void on_gang_answer(const gang_inquiry::result& answer);

  // Requests of the job's pods: see job_request_steps.cpp.
  core::request_inputs request_inputs() const;
  void begin_next_request();
  void carry_out(job_requests::step next);
  void advance_request(const core::order_done& report);
  void advance_request(const core::order_failed& report);
  void advance_request(const core::orders_cancelled& report);
  void refuse_requests(const caf::error& why);

  // Events and the log of decisions.
  void record(const core::job_event& event);
  void record_all(const std::vector<core::job_event>& all);
  void remember_for_report(std::string text);

  k8s::time_point now() const { return context_->clock(); }

  job_supervisor_actor::pointer self_;
  context_ptr context_;
  std::shared_ptr<const job_reference> ref_;
  /// Of this framework; owned by `metrics`, which outlives this actor.
  pass_meter* meter_ = nullptr;
  std::unique_ptr<job_meter> job_meter_; ///< Of this job.
  job_startup startup_;

  core::job_memory memory_;
  core::job_status status_;   ///< The desired status, as decided so far.
  std::uint64_t version_ = 0; ///< Of the job, the newest known.
  /// Knows the saved status and writes the desired one.
  status_writer status_writer_;
  recovery recovery_;
  /// The job could not be decoded when it was last seen.
  bool job_undecodable_ = false;
  /// After a read of the job, or a list of a recovery, has failed.
  std::optional<k8s::time_point> read_job_again_at_;
  int failed_job_reads_ = 0;
  gang_inquiry inquiry_;
  job_requests requests_;
  std::map<group_id, replica_group_actor> groups_;
  std::map<std::uint64_t, own_call> calls_; ///< In flight, by tag.
  std::uint64_t next_tag_ = 1;

  bool reconcile_queued_ = false;
  caf::actor_clock::time_point queued_at_{};
  std::uint64_t requeue_timer_ = 0;
  std::optional<k8s::time_point> requeue_at_;

  std::optional<k8s::time_point> removal_held_until_;
  bool removal_under_way_ = false;
  int removal_attempts_ = 0;

  k8s::time_point created_{};
  std::string verdict_;
  job_timeline timeline_;
  std::deque<note> decision_log_; ///< The last decisions, newest last.
  std::uint64_t passes_ = 0;
};

job_supervisor_actor::behavior_type
job_supervisor(self_pointer<job_supervisor_actor, job_supervisor_state> self,
               context_ptr context, supervisor_config config);

} // namespace troupe::actors
