#pragma once

#include "actors/base/own_report.hpp"
#include "actors/base/protocols.hpp"
#include "actors/jobs/decision_log.hpp"
#include "actors/jobs/gang_reason_query.hpp"
#include "actors/jobs/job_deletion.hpp"
#include "actors/jobs/job_reads.hpp"
#include "actors/jobs/job_requests.hpp"
#include "actors/jobs/job_startup.hpp"
#include "actors/jobs/job_timeline.hpp"
#include "actors/jobs/made_on_use.hpp"
#include "actors/jobs/orders/replica_groups.hpp"
#include "actors/jobs/own_calls.hpp"
#include "actors/jobs/requeue_timer.hpp"
#include "actors/jobs/status_writer.hpp"
#include "actors/metrics/metrics.hpp"
#include "actors/queueing/queue_news_query.hpp"
#include "frameworks/core/memory/job_memory.hpp"
#include "frameworks/core/memory/recovery_times.hpp"
#include "frameworks/core/pass/plan.hpp"
#include "frameworks/core/progress/progress_history.hpp"
#include "frameworks/core/waiting/waiting_reason.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace troupe::actors {

/// `recover`: the predecessor failed, so the job and its children are read from
/// the API server first.
struct supervisor_config {
  std::shared_ptr<const job_reference> job;
  bool recover = false;
  /// What is known of the job and its children when it begins: one message
  /// each would let a pass come in between, in which pods seem to be missing.
  std::vector<child_seen> children = {};
  std::optional<job_seen> first = {};
};

/// The log that is being read for a job.
struct log_in_reading {
  std::optional<core::followed_log> log; ///< nullopt: none any more.
  std::shared_ptr<const core::log_policy> rules;
  bool ends_soon = false;
  std::string problem; ///< Why it is not read; "": it is.
};

/// Reconciles one job: records facts in `job_memory` and queues at most one
/// reconcile, which calls `core::plan` and sends each decision about a child to
/// a replica group. Contains no policy: what decides is `core`, and the values
/// below, each about one thing that it does. Its memory is the only cache of
/// the job's children. Terminated by the directory when the job is deleted.
class job_supervisor_state {
public:
  static inline const char* name = "job-supervisor";

  explicit job_supervisor_state(job_supervisor_actor::pointer self)
      : self_(self)
      , groups_(self) {}
  ~job_supervisor_state();

  void init(context_ptr context, supervisor_config config);

  // Facts: update the memory and enqueue a reconcile.
  void on_job_seen(const job_seen& fact);
  void on_child_seen(const child_seen& fact);
  void on_child_deleted(const child_deleted& fact);
  void on_list_complete(const list_complete& fact);

  // Results of orders, from the replica groups.
  void on_order_done(const order_done& result);
  void on_order_failed(const order_failed& result);
  void on_name_freed(const name_freed& fact);
  void on_orders_cancelled(const orders_cancelled& result);

  /// A request of one of the job's pods; see job_supervisor_requests.cpp.
  caf::result<job_response> on_job_request(const request_to_job& request);

  /// How far the job is, as one of its pods says.
  caf::result<report_answer> on_progress_report(const report_to_job& report);

  // From the reader of logs; see job_supervisor_logs.cpp.
  void on_log_report(const log_report& report);
  void on_log_reading(const log_reading& r);
  void on_queue_news_read(const queue_news_read& r);

  void on_own_call_response(const api_response& a);
  void on_timer(const timer_fired& fired);
  void on_other_operator_changed();
  void on_report_authority_changed();
  void on_job_removed();
  void on_exit(const caf::error& why);
  void reconcile();
  report_ptr report() const;
  caf::result<report_ptr> reply_with_report_tree();
  job_row make_admin_row() const;

private:
  // Facts and results of orders.
  void decode_and_apply_job(const k8s::object& item);
  /// A step in a queue of Kueue's has written the job itself.
  void apply_written_job_if_any(const order_done& result);
  void report_undecodable_job(const k8s::failure& why);
  /// Why the job is left to another operator, "" if it is not.
  std::string reason_to_leave_job() const;
  /// Emits the events, updates the metrics, and enqueues a reconcile if needed.
  void count_emit_and_reconcile_if_needed(const core::memory_change& change);
  void end_auxiliary_group_if_idle();

  // Reconciling.
  void enqueue_reconcile();
  core::plan_result make_plan() const;
  void requeue_no_later_than(k8s::time_point when);
  /// Deletes the job if that is decided; sends every other decision as an
  /// order, records its expectation, and returns the numbers of the orders.
  std::vector<std::uint64_t>
  carry_out_decisions(const std::vector<core::decision>& decisions,
                      const core::job_ptr& as_granted = nullptr);
  void release_workloads(); ///< Of the job, which is gone.
  void update_job_metrics();
  bool has_launcher_job() const; ///< A Job makes its launcher's pods.

  // Calls that it makes itself: see job_supervisor_calls.cpp.
  /// If `make` is set, it makes the request when the call is sent.
  void send_own_call(const own_calls::call& what, k8s::request r,
                     call_priority priority = call_priority::normal,
                     std::function<k8s::result<k8s::request>()> make = nullptr);
  /// Writes the status if that is due; otherwise returns when it will be.
  std::optional<k8s::time_point> write_status_if_due();
  void on_status_written(const k8s::result<std::string>& r);
  void count_finished_job(bool succeeded, bool failed);
  void read_job();
  void begin_recovery();
  void on_job_read(const k8s::result<std::string>& r);
  void list_children();
  void on_children_listed(core::child_kind kind,
                          const k8s::result<std::string>& r);
  void delete_job_unless_delayed(const core::delete_job& d);
  void on_job_delete_response(const k8s::result<std::string>& r);
  void count_and_record_job_deletion();
  /// Queries why the pod group is not admitted, if the query is due; returns
  /// when the next one is.
  std::optional<k8s::time_point> query_gang_reason_if_due();
  std::optional<k8s::time_point> tell_native_gang_refusal_if_due();
  void on_gang_reason_answer(const gang_reason_query::result& answer);
  /// The same of the queue of Kueue's for which it waits.
  std::optional<k8s::time_point> query_queue_news_if_due();

  // The log that tells how far the job is: see job_supervisor_logs.cpp.
  void follow_log_if_changed();
  nlohmann::json log_report_json() const;

  // Requests of the job's pods: see job_supervisor_requests.cpp.
  core::request_inputs request_inputs() const;
  void begin_next_pod_request_if_possible();
  void execute_step_and_begin_next_request(job_requests::step next);
  void advance_pod_request_that_ordered(const core::order_done& result);
  void advance_pod_request_that_ordered(const core::order_failed& result);
  void advance_pod_request_that_ordered(const core::orders_cancelled& result);

  std::shared_ptr<const job_reference>
  subject_of_event(const core::job_event& e) const;
  void
  tell_standing_warning_if_new(const std::optional<core::job_event>& warning);
  /// Only in a process that reconciles.
  void record_events_if_reconciling(const std::vector<core::job_event>& all);
  std::string describe_decision(const core::decision& d) const;
  std::int32_t desired_replica_count() const;
  /// What was told last, or what is saved of it.
  const core::shared_value<core::progress_status>& shown_progress() const;
  core::waiting_inputs waiting_inputs() const;
  std::string shown_summary() const; ///< In lists.
  k8s::time_point now() const { return context_->clock(); }

  job_supervisor_actor::pointer self_;
  context_ptr context_;
  std::shared_ptr<const job_reference> ref_;

  // What it knows and has decided.
  core::job_memory memory_;
  core::shared_status status_; ///< The desired status, as decided so far.
  std::uint64_t version_ = 0;  ///< Of the job, the newest known.
  k8s::time_point created_{};  ///< The job.
  std::string summary_;
  /// The job could not be decoded when it was last seen.
  bool job_undecodable_ = false;

  // The pass that is queued, and the next one.
  bool reconcile_queued_ = false;
  caf::actor_clock::time_point reconcile_queued_at_{};
  std::uint64_t reconcile_count_ = 0;
  requeue_timer requeue_;

  // What it sends, and waits for.
  replica_groups groups_;
  own_calls calls_;
  /// Knows the saved status and writes the desired one.
  status_writer status_writer_;
  job_reads reads_;
  job_deletion deletion_;
  made_on_use<gang_reason_query> gang_reason_query_;
  made_on_use<queue_news_query> queue_news_query_;
  made_on_use<job_requests> requests_;

  // What it tells of itself.
  /// Of this framework; owned by `metrics`, which outlives this actor.
  reconcile_meter* meter_ = nullptr;
  std::unique_ptr<job_meter> job_meter_;         ///< Of this job.
  core::shared_value<std::string> told_warning_; ///< Of the last pass.
  job_startup startup_;
  core::recovery_times recovery_times_;
  made_on_use<core::progress_history> progress_history_;
  made_on_use<log_in_reading> log_;
  job_timeline timeline_;
  decision_log decision_log_;
};

job_supervisor_actor::behavior_type
job_supervisor(self_pointer<job_supervisor_actor, job_supervisor_state> self,
               context_ptr context, supervisor_config config);

} // namespace troupe::actors
