#include "actors/jobs/job_supervisor.hpp"

#include "actors/base/heap.hpp"
#include "actors/base/other_operator.hpp"
#include "actors/base/report_authority.hpp"
#include "actors/metrics/metrics.hpp"
#include "frameworks/core/model/names.hpp"
#include "frameworks/core/observed/ownership.hpp"
#include "frameworks/core/pass/plan.hpp"
#include "frameworks/core/pass/queueing.hpp"
#include "frameworks/core/queueing/workload_content.hpp"
#include "frameworks/core/spec/failure_policy_reading.hpp"
#include "frameworks/core/spec/job_reading.hpp"
#include "frameworks/core/spec/pod_progress.hpp"
#include "frameworks/core/spec/pod_template.hpp"
#include "k8s/large_text_turn.hpp"

#include <algorithm>
#include <utility>

namespace troupe::actors {

namespace {

std::size_t spec_bytes(const k8s::object& item) {
  const auto* texts = std::get_if<k8s::spec_and_status_state>(&item.state);
  return texts ? texts->spec.size() : 0;
}

/// Supervisors run on several threads.
k8s::result<core::job> decode_job_in_turn(const core::framework& kind,
                                          const k8s::object& item) {
  k8s::large_text_turn turn{spec_bytes(item)};
  return core::decode_job(kind, item);
}

void count_order_outcome(core::order_outcome outcome, const job_reference& job,
                         metrics& to) {
  switch (outcome) {
  case core::order_outcome::pod_created:
    return to.count_created_pod();
  case core::order_outcome::pod_deleted:
    return to.count_deleted_pod();
  case core::order_outcome::replica_restarted:
    return to.count_restarted_replica(job.ns, job.kind->names.short_name);
  case core::order_outcome::service_created:
    return to.count_created_service();
  case core::order_outcome::service_refused:
    return to.count_refused_service();
  }
}

} // namespace

job_supervisor_state::~job_supervisor_state() {
  if (reconcile_queued_)
    meter_->on_reconcile_dropped();
  if (requeue_.was_set())
    caf::anon_send(context_->timers, cancel_timer{self_->id()});
  if (log_->log)
    caf::anon_send(context_->logs, end_log{self_->id()});
  if (job_meter_)
    job_meter_->set_activity(core::job_activity::idle, now());
}

void job_supervisor_state::init(context_ptr context, supervisor_config config) {
  context_ = std::move(context);
  ref_ = std::move(config.job);
  meter_ = &context_->counters->reconcile_meter_of(
      ref_->kind->effective_metrics_source());
  job_meter_ = context_->counters->add_job_meter(ref_->kind->names.short_name);
  if (config.recover)
    begin_recovery();
  if (config.first)
    on_job_seen(*config.first);
  for (const auto& child : config.children)
    on_child_seen(child);
}

// -- facts --------------------------------------------------------------------

void job_supervisor_state::on_job_seen(const job_seen& fact) {
  if (fact.item->meta.resource_version > version_)
    decode_and_apply_job(*fact.item);
}

void job_supervisor_state::decode_and_apply_job(const k8s::object& item) {
  version_ = std::max(version_, item.meta.resource_version);
  created_ = item.meta.created;
  if (item.unreadable()) { // Its status cannot be, either.
    report_undecodable_job(core::decode_job(*ref_->kind, item).error());
    return;
  }
  const auto& known = memory_.job();
  bool first = !known;
  auto change = status_writer_.record_server_status(
      core::decode_job_status(item, ref_->kind->own.status));
  if (first || change.foreign)
    status_ = status_writer_.saved_status();
  count_finished_job(change.became_succeeded, change.became_failed);
  if (first || !core::is_decoded_from(*known, item)) {
    auto job = decode_job_in_turn(*ref_->kind, item);
    if (!job) {
      report_undecodable_job(job.error());
      return;
    }
    core::record_own_init_containers(*job, context_->options->cluster);
    job->left_to_other = reason_to_leave_job();
    if (auto event = left_to_other_event(
            *ref_->kind, known ? known->left_to_other : "", job->left_to_other))
      record_events_if_reconciling({*event});
    if (auto event =
            known ? core::policy_error_event(*known, *job) : std::nullopt)
      record_events_if_reconciling({*event});
    memory_.set_job_and_forget_obsolete_failures(
        std::make_shared<const core::job>(std::move(*job)));
    if (spec_bytes(item) >= large_text)
      return_free_memory();
    // Unsent creations belong to the old spec.
    groups_.cancel_pending_creations();
  }
  if (first && !status_->find_condition(core::condition_type::created)) {
    context_->counters->count_created_job(ref_->ns,
                                          ref_->kind->names.short_name);
    if (has_launcher_job())
      context_->counters->count_created_mpi_job();
    if (auto event =
            core::not_told_event(*memory_.job(), context_->options->cluster))
      record_events_if_reconciling({*event});
    startup_.start_clock(created_);
  }
  // Facts about children were dropped while the job could not be decoded, so
  // the children are listed again.
  if (std::exchange(job_undecodable_, false))
    begin_recovery();
  enqueue_reconcile();
  begin_next_pod_request_if_possible();
}

std::string job_supervisor_state::reason_to_leave_job() const {
  bool may_be_other = *ref_->kind->names.other_operator_lease != '\0';
  return may_be_other && context_->other ? context_->other->reason() : "";
}

void job_supervisor_state::on_other_operator_changed() {
  const auto& known = memory_.job();
  auto reason = reason_to_leave_job();
  if (!known || known->left_to_other == reason)
    return;
  if (auto event =
          left_to_other_event(*ref_->kind, known->left_to_other, reason))
    record_events_if_reconciling({*event});
  auto job = std::make_shared<core::job>(*known);
  job->left_to_other = std::move(reason);
  memory_.set_job_and_forget_obsolete_failures(std::move(job));
  groups_.cancel_pending_creations();
  enqueue_reconcile();
}

void job_supervisor_state::report_undecodable_job(const k8s::failure& why) {
  record_events_if_reconciling(
      {{true, core::kind_prefixed_reason(*ref_->kind, "FailedValidation"),
        why.message}});
  summary_ = "cannot be decoded: " + why.message;
  decision_log_.add(now(), "job " + summary_);
  self_->send(context_->jobs, make_admin_row());
  job_undecodable_ = true;
}

void job_supervisor_state::on_child_seen(const child_seen& fact) {
  count_emit_and_reconcile_if_needed(memory_.record_child_seen(
      fact.kind, *fact.item, fact.claims, fact.list_number,
      *status_writer_.saved_status()));
}

void job_supervisor_state::on_child_deleted(const child_deleted& fact) {
  count_emit_and_reconcile_if_needed(
      memory_.record_child_deleted(fact.kind, fact.item->meta.uid));
}

void job_supervisor_state::on_list_complete(const list_complete& fact) {
  count_emit_and_reconcile_if_needed(memory_.record_list_complete(
      fact.about.children, fact.list_number, fact.version));
}

void job_supervisor_state::count_emit_and_reconcile_if_needed(
    const core::memory_change& change) {
  for (auto outcome : change.outcomes)
    count_order_outcome(outcome, *ref_, *context_->counters);
  record_events_if_reconciling(change.events);
  if (change.must_reconcile)
    enqueue_reconcile();
}

// -- results of orders --------------------------------------------------------

void job_supervisor_state::on_order_done(const order_done& result) {
  count_emit_and_reconcile_if_needed(memory_.apply_order_result(
      result, *status_writer_.saved_status(), context_->options->cluster));
  apply_written_job_if_any(result);
  end_auxiliary_group_if_idle();
  advance_pod_request_that_ordered(result);
}

void job_supervisor_state::apply_written_job_if_any(const order_done& result) {
  bool is_of_queue =
      std::holds_alternative<core::queue_order>(*result.order.decision);
  if (is_of_queue && result.item
      && std::holds_alternative<k8s::spec_and_status_state>(result.item->state)
      && result.item->meta.resource_version > version_)
    decode_and_apply_job(*result.item);
}

void job_supervisor_state::on_order_failed(const order_failed& result) {
  if (result.why.code != k8s::ec::cancelled && !result.name_is_free)
    meter_->count_failed_order();
  decision_log_.add(now(),
                    "failed: " + describe_decision(*result.order.decision)
                        + ": " + result.why.message);
  count_emit_and_reconcile_if_needed(memory_.apply_order_result(
      result, *status_writer_.saved_status(), now(), context_->jitter()));
  end_auxiliary_group_if_idle();
  advance_pod_request_that_ordered(result);
}

void job_supervisor_state::on_orders_cancelled(const orders_cancelled& result) {
  count_emit_and_reconcile_if_needed(memory_.apply_order_result(result));
  end_auxiliary_group_if_idle();
  advance_pod_request_that_ordered(result);
}

void job_supervisor_state::on_name_freed(const name_freed& fact) {
  count_emit_and_reconcile_if_needed(
      memory_.record_name_freed(fact.kind, fact.name));
}

// -- reconcile ----------------------------------------------------------------

void job_supervisor_state::enqueue_reconcile() {
  if (reconcile_queued_ || !memory_.job() || reads_.is_recovering()
      || !context_->options->reconcile_enabled)
    return;
  reconcile_queued_ = true;
  reconcile_queued_at_ = self_->clock().now();
  meter_->on_reconcile_queued();
  self_->send(self_, atom::reconcile::value);
}

core::plan_result job_supervisor_state::make_plan() const {
  const auto& job = *memory_.job();
  auto plan_with = [&](const core::cluster_options& cluster) {
    return core::plan(job, memory_.observed(), memory_.expectations(), *status_,
                      *status_writer_.saved_status(), now(), cluster);
  };
  const auto& cluster = context_->options->cluster;
  if (!context_->reports || !core::tells_pods_where_to_report(job, cluster))
    return plan_with(cluster);
  auto with_authority = cluster;
  with_authority.progress_authority = context_->reports->text();
  with_authority.reports_missed = context_->reports->missed();
  return plan_with(with_authority);
}

void job_supervisor_state::on_report_authority_changed() {
  if (memory_.job() && memory_.job()->policy.progress.report)
    enqueue_reconcile();
}

void job_supervisor_state::reconcile() {
  using seconds = std::chrono::duration<double>;
  reconcile_queued_ = false;
  if (reads_.is_recovering()) { // A recovery has begun meanwhile.
    meter_->on_reconcile_dropped();
    return;
  }
  auto begin = self_->clock().now();
  meter_->on_reconcile_started(seconds{begin - reconcile_queued_at_}.count());
  ++reconcile_count_;
  // Restarts that the saved status counts need no memory of ours.
  memory_.forget_recorded_restarts(*status_writer_.saved_status());
  auto result = make_plan();
  if (status_ != result.status)
    status_ = std::move(result.status);
  summary_ = std::move(result.summary);
  memory_.record_silence(result.silence);
  timeline_.record_changes(memory_.observed().pods(), *status_, now());
  status_writer_.queue_events_until_status_saved(std::move(result.events));
  tell_standing_warning_if_new(result.standing_warning);
  follow_log_if_changed();
  carry_out_decisions(result.decisions, result.as_granted);
  auto status_due =
      result.status_awaits_creations ? std::nullopt : write_status_if_due();
  auto gang_reason_due = query_gang_reason_if_due();
  auto queue_news_due = query_queue_news_if_due();
  auto next = result.requeue_at;
  for (auto due :
       {status_due, gang_reason_due, queue_news_due, reads_.retry_at()})
    if (due && (!next || *due < *next))
      next = due;
  if (next)
    requeue_no_later_than(*next);
  self_->send(context_->jobs, make_admin_row());
  meter_->on_reconcile_ended(seconds{self_->clock().now() - begin}.count(),
                             next.has_value());
  update_job_metrics();
}

std::vector<std::uint64_t> job_supervisor_state::carry_out_decisions(
    const std::vector<core::decision>& decisions,
    const core::job_ptr& as_granted) {
  std::vector<std::uint64_t> numbers;
  std::map<group_id, execute_orders> by_group;
  for (const auto& d : decisions) {
    if (auto* deletion = std::get_if<core::delete_job>(&d)) {
      delete_job_unless_delayed(*deletion);
      continue;
    }
    decision_log_.add(now(), describe_decision(d));
    context_->counters->count_decision(d);
    auto& orders = by_group[group_id_of(d)].orders;
    orders.push_back(memory_.record_issued_order(d, *status_, now()));
    numbers.push_back(orders.back().id);
  }
  for (auto& [which, batch] : by_group) {
    batch.job = as_granted ? as_granted : memory_.job();
    groups_.execute(which, std::move(batch), context_);
  }
  return numbers;
}

void job_supervisor_state::end_auxiliary_group_if_idle() {
  const auto& orders = memory_.orders_in_flight();
  if (groups_.has_auxiliary_group()
      && std::none_of(orders.begin(), orders.end(), [](const auto& order) {
           return group_id_of(*order.second).auxiliary;
         }))
    groups_.end_auxiliary_group();
}

void job_supervisor_state::requeue_no_later_than(k8s::time_point when) {
  auto timer = requeue_.set_unless_earlier(when, now());
  if (!timer)
    return;
  auto delay = std::max(when - now(), k8s::time_point::duration{0});
  self_->send(
      context_->timers,
      set_timer{caf::actor_cast<timer_owner_actor>(self_),
                self_->clock().now()
                    + std::chrono::ceil<std::chrono::milliseconds>(delay),
                *timer});
}

void job_supervisor_state::on_timer(const timer_fired& fired) {
  auto due = requeue_.take(fired.timer);
  if (!due)
    return;
  // A retry of a read may be due, too; the earlier of both set this timer.
  auto retry = reads_.retry_at();
  if (retry && *due >= *retry)
    return reads_.is_recovering() ? begin_recovery() : read_job();
  if (retry)
    requeue_no_later_than(*retry);
  enqueue_reconcile();
}

// -- exit ---------------------------------------------------------------------

void job_supervisor_state::on_job_removed() {
  // The watch may report the deletion before our DELETE call returns.
  if (deletion_.is_in_flight())
    count_and_record_job_deletion();
  release_workloads();
  requests_.change().refuse_all_requests(404, ref_->kind->names.type.kind + " "
                                                  + ref_->ns + "/" + ref_->name
                                                  + " not found");
  self_->quit(caf::exit_reason::user_shutdown);
}

/// They stay, by our finalizer, until the job's pods are gone. The directory
/// knows those that are being deleted already.
void job_supervisor_state::release_workloads() {
  if (!context_->releaser)
    return;
  const auto& type = ref_->kind->names.type;
  const k8s::owner_reference job{type.api_version(), type.kind, ref_->name,
                                 ref_->uid};
  const auto& workloads =
      memory_.observed().children_of_kind(core::child_kind::workload);
  if (const auto& known = memory_.job();
      known && workloads.empty()
      && core::may_have_unseen_workload(*known, context_->options->cluster))
    self_->send(
        context_->releaser,
        release_workload{ref_->ns, core::workload_name(*known), "", job});
  for (const auto& v : workloads)
    if (v.owned && !v.terminating && v.content->workload->keeps_quota)
      self_->send(context_->releaser,
                  release_workload{ref_->ns, v.name, v.uid.text(), job});
}

// Called when this actor or a linked one fails, or at shutdown. The job itself
// continues.
void job_supervisor_state::on_exit(const caf::error& why) {
  requests_.change().refuse_all_requests(
      503, "the request was interrupted; check the job's "
           "replicas before retrying");
  self_->quit(why);
}

// Only the process that reconciles records events (others serve requests only).
std::shared_ptr<const job_reference>
job_supervisor_state::subject_of_event(const core::job_event& e) const {
  if (e.pod.empty())
    return ref_;
  auto subject = *ref_;
  subject.pod = e.pod;
  subject.pod_uid = e.pod_uid;
  return std::make_shared<const job_reference>(std::move(subject));
}

void job_supervisor_state::record_events_if_reconciling(
    const std::vector<core::job_event>& all) {
  if (!context_->options->reconcile_enabled)
    return;
  for (const auto& one : all)
    self_->send(context_->recorder, record_event{subject_of_event(one), one});
}

job_supervisor_actor::behavior_type
job_supervisor(self_pointer<job_supervisor_actor, job_supervisor_state> self,
               context_ptr context, supervisor_config config) {
  self->state.init(std::move(context), std::move(config));
  self->set_exit_handler(
      [self](const caf::exit_msg& m) { self->state.on_exit(m.reason); });
  return {
      [self](get_report) { return self->state.report(); },
      [self](get_tree) { return self->state.reply_with_report_tree(); },
      [self](const job_seen& fact) { self->state.on_job_seen(fact); },
      [self](const child_seen& fact) { self->state.on_child_seen(fact); },
      [self](const child_deleted& fact) { self->state.on_child_deleted(fact); },
      [self](const list_complete& fact) { self->state.on_list_complete(fact); },
      [self](const order_done& r) { self->state.on_order_done(r); },
      [self](const order_failed& r) { self->state.on_order_failed(r); },
      [self](const orders_cancelled& r) { self->state.on_orders_cancelled(r); },
      [self](const name_freed& f) { self->state.on_name_freed(f); },
      [self](const api_response& a) { self->state.on_own_call_response(a); },
      [self](const request_to_job& q) { return self->state.on_job_request(q); },
      [self](const report_to_job& r) {
        return self->state.on_progress_report(r);
      },
      [self](atom::job_removed) { self->state.on_job_removed(); },
      [self](atom::other_operator) { self->state.on_other_operator_changed(); },
      [self](atom::report_authority) {
        self->state.on_report_authority_changed();
      },
      [self](const log_report& r) { self->state.on_log_report(r); },
      [self](const log_reading& r) { self->state.on_log_reading(r); },
      [self](const queue_news_read& r) { self->state.on_queue_news_read(r); },
      [self](atom::reconcile) { self->state.reconcile(); },
      [self](const timer_fired& fired) { self->state.on_timer(fired); },
  };
}

} // namespace troupe::actors
