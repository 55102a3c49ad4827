#include "actors/job_supervisor.hpp"

#include "actors/metrics.hpp"
#include "frameworks/core/names.hpp"
#include "frameworks/core/plan.hpp"

#include <algorithm>
#include <utility>

namespace troupe::actors {

namespace {

constexpr std::size_t most_notes = 40;

void count(core::order_outcome outcome, const job_reference& job, metrics& to) {
  switch (outcome) {
  case core::order_outcome::pod_created:
    return to.pod_created();
  case core::order_outcome::pod_deleted:
    return to.pod_deleted();
  case core::order_outcome::replica_restarted:
    return to.job_restarted(job.ns, job.kind->name);
  case core::order_outcome::service_created:
    return to.service_created();
  case core::order_outcome::service_refused:
    return to.service_refused();
  }
}

} // namespace

job_supervisor_state::~job_supervisor_state() {
  if (reconcile_queued_)
    meter_->dropped();
}

void job_supervisor_state::init(context_ptr context, supervisor_config config) {
  context_ = std::move(context);
  ref_ = std::move(config.job);
  meter_ = &context_->counters->passes(ref_->kind->source_of_metrics());
  job_meter_ = context_->counters->add_job(ref_->kind->name);
  if (config.recover)
    begin_recovery();
}

// -- facts --------------------------------------------------------------------

void job_supervisor_state::on_job_seen(const job_seen& fact) {
  if (fact.item->meta.resource_version > version_)
    apply_observed_job(*fact.item);
}

void job_supervisor_state::apply_observed_job(const k8s::object& item) {
  version_ = std::max(version_, item.meta.resource_version);
  created_ = item.meta.created;
  const auto& known = memory_.job();
  bool first = !known;
  auto change = status_writer_.record_server_status(
      core::status_of(item, ref_->kind->status));
  if (first || change.foreign)
    status_ = status_writer_.saved();
  count_end(change.became_succeeded, change.became_failed);
  if (first || known->generation != item.meta.generation
      || known->deleting != item.meta.deleted.has_value()) {
    auto job = core::decode_job(*ref_->kind, item);
    if (!job) {
      record({true, core::condition_reason(*ref_->kind, "FailedValidation"),
              job.error().message});
      verdict_ = "cannot be read: " + job.error().message;
      remember_for_report("job " + verdict_);
      self_->send(context_->jobs, row());
      job_undecodable_ = true;
      return;
    }
    memory_.set_job(std::make_shared<const core::job>(std::move(*job)));
    // Unsent creations belong to the old spec.
    for (auto& [which, group] : groups_)
      self_->send(group, cancel_pending_creations{});
  }
  if (first && !status_.find(core::condition_type::created)) {
    context_->counters->job_created(ref_->ns, ref_->kind->name);
    startup_.begin(created_);
  }
  // Facts about children were dropped while the job could not be decoded, so
  // the children are listed again.
  if (std::exchange(job_undecodable_, false))
    begin_recovery();
  enqueue_reconcile();
  begin_next_request();
}

void job_supervisor_state::on_child_seen(const child_seen& fact) {
  apply_change(memory_.record_child_seen(
      fact.kind, *fact.item, fact.list_number, status_writer_.saved()));
}

void job_supervisor_state::on_child_deleted(const child_deleted& fact) {
  apply_change(memory_.record_child_deleted(fact.kind, fact.item->meta.uid));
}

void job_supervisor_state::on_list_complete(const list_complete& fact) {
  apply_change(memory_.record_list_complete(fact.about.children,
                                            fact.list_number, fact.version));
}

void job_supervisor_state::apply_change(const core::memory_change& change) {
  for (auto outcome : change.outcomes)
    count(outcome, *ref_, *context_->counters);
  record_all(change.events);
  if (change.must_reconcile)
    enqueue_reconcile();
}

// -- reports ------------------------------------------------------------------

void job_supervisor_state::on_order_done(const order_done& report) {
  apply_change(
      memory_.apply(report, status_writer_.saved(), context_->sizes->cluster));
  advance_request(report);
}

void job_supervisor_state::on_order_failed(const order_failed& report) {
  if (report.why.code != k8s::ec::cancelled)
    meter_->failed();
  remember_for_report("refused: " + core::describe(report.order.decision) + ": "
                      + report.why.message);
  apply_change(
      memory_.apply(report, status_writer_.saved(), now(), context_->jitter()));
  advance_request(report);
}

void job_supervisor_state::on_orders_cancelled(const orders_cancelled& report) {
  apply_change(memory_.apply(report));
  advance_request(report);
}

// -- passes -------------------------------------------------------------------

void job_supervisor_state::enqueue_reconcile() {
  if (reconcile_queued_ || !memory_.job() || !recovery_.complete()
      || !context_->sizes->reconciles)
    return;
  reconcile_queued_ = true;
  queued_at_ = self_->clock().now();
  meter_->queued();
  self_->send(self_, atom::reconcile::value);
}

void job_supervisor_state::reconcile() {
  using seconds = std::chrono::duration<double>;
  reconcile_queued_ = false;
  if (!recovery_.complete()) { // A recovery has begun meanwhile.
    meter_->dropped();
    return;
  }
  auto begin = self_->clock().now();
  meter_->begun(seconds{begin - queued_at_}.count());
  ++passes_;
  memory_.forget_recorded_restarts(status_writer_.saved());
  auto result = core::plan(
      *memory_.job(), memory_.seen(), memory_.expectations(), status_,
      status_writer_.saved(), now(), context_->sizes->cluster);
  status_ = std::move(result.status);
  verdict_ = std::move(result.verdict);
  timeline_.record(memory_.seen().pods(), status_, now());
  status_writer_.queue_events_until_saved(std::move(result.events));
  dispatch(result.decisions);
  auto next = result.requeue_at;
  for (auto own : {send_due_status_write(), query_gang_reason_if_due(),
                   read_job_again_at_})
    if (own && (!next || *own < *next))
      next = own;
  if (next)
    requeue_at(*next);
  self_->send(context_->jobs, row());
  meter_->ended(seconds{self_->clock().now() - begin}.count(),
                next.has_value());
  update_job_metrics();
}

void job_supervisor_state::update_job_metrics() {
  job_meter_->set_state(status_.state());
  auto open = memory_.expectations().outstanding(now());
  job_meter_->set_expectations(open.count, open.oldest);
  auto times = startup_.record(
      status_, memory_.seen().pods().size(),
      static_cast<std::size_t>(memory_.job()->total_replicas()), now());
  if (times.to_all_pods)
    job_meter_->observe_time_to_all_pods(times.to_all_pods->count());
  if (times.to_running)
    job_meter_->observe_time_to_running(times.to_running->count());
}

std::vector<std::uint64_t>
job_supervisor_state::dispatch(const std::vector<core::decision>& decisions) {
  std::vector<std::uint64_t> numbers;
  std::map<group_id, execute_orders> by_group;
  for (const auto& d : decisions) {
    if (auto* removal = std::get_if<core::delete_job>(&d)) {
      delete_job_unless_held(*removal);
      continue;
    }
    remember_for_report(core::describe(d));
    context_->counters->count_decision(d);
    auto& orders = by_group[group_of(d)].orders;
    orders.push_back(memory_.record_issued_order(d, status_, now()));
    numbers.push_back(orders.back().id);
  }
  for (auto& [which, batch] : by_group) {
    batch.job = memory_.job();
    self_->send(get_or_spawn_group(which), std::move(batch));
  }
  return numbers;
}

replica_group_actor&
job_supervisor_state::get_or_spawn_group(const group_id& which) {
  auto& group = groups_[which];
  if (!group)
    // Linked: if a group fails, this supervisor fails, too, and its successor
    // reads everything again. So the result of every order is known or read
    // again.
    group =
        self_->spawn<caf::linked>(replica_group, context_, which,
                                  caf::actor_cast<order_owner_actor>(self_));
  return group;
}

void job_supervisor_state::requeue_at(k8s::time_point when) {
  if (requeue_at_ && *requeue_at_ <= when && *requeue_at_ > now())
    return; // An earlier requeue is set; that reconcile computes the next one.
  requeue_at_ = when;
  auto delay = std::max(when - now(), k8s::time_point::duration{0});
  self_->delayed_send(self_,
                      std::chrono::ceil<std::chrono::milliseconds>(delay),
                      timer_fired{++requeue_timer_});
}

void job_supervisor_state::on_timer(const timer_fired& fired) {
  if (fired.timer != requeue_timer_)
    return;
  auto due = std::exchange(requeue_at_, std::nullopt);
  if (!read_job_again_at_) {
    enqueue_reconcile();
  } else if (due < read_job_again_at_) {
    requeue_at(*read_job_again_at_);
    enqueue_reconcile();
  } else if (recovery_.complete()) {
    read_job();
  } else {
    begin_recovery();
  }
}

// -- life ---------------------------------------------------------------------

void job_supervisor_state::on_exit(const caf::error& why) {
  // The watch may report the deletion before our DELETE call returns.
  if (removal_under_way_ && why == caf::exit_reason::user_shutdown)
    record_job_deletion();
  refuse_requests(why);
  self_->quit(why);
}

// Who reconciles the job tells about it.
void job_supervisor_state::record(const core::job_event& event) {
  if (!context_->sizes->reconciles)
    return;
  self_->send(context_->recorder, record_event{ref_, event});
}

void job_supervisor_state::record_all(const std::vector<core::job_event>& all) {
  for (const auto& one : all)
    record(one);
}

void job_supervisor_state::remember_for_report(std::string text) {
  decision_log_.push_back({now(), std::move(text)});
  if (decision_log_.size() > most_notes)
    decision_log_.pop_front();
}

job_supervisor_actor::behavior_type
job_supervisor(self_pointer<job_supervisor_actor, job_supervisor_state> self,
               context_ptr context, supervisor_config config) {
  self->state.init(std::move(context), std::move(config));
  self->set_exit_handler(
      [self](const caf::exit_msg& m) { self->state.on_exit(m.reason); });
  return {
      [self](get_report) { return self->state.report(); },
      [self](get_tree) { return self->state.tree(); },
      [self](const job_seen& fact) { self->state.on_job_seen(fact); },
      [self](const child_seen& fact) { self->state.on_child_seen(fact); },
      [self](const child_deleted& fact) { self->state.on_child_deleted(fact); },
      [self](const list_complete& fact) { self->state.on_list_complete(fact); },
      [self](const order_done& r) { self->state.on_order_done(r); },
      [self](const order_failed& r) { self->state.on_order_failed(r); },
      [self](const orders_cancelled& r) { self->state.on_orders_cancelled(r); },
      [self](const api_response& a) { self->state.on_api_response(a); },
      [self](const ask_job& q) { return self->state.on_asked(q); },
      [self](atom::reconcile) { self->state.reconcile(); },
      [self](const timer_fired& fired) { self->state.on_timer(fired); },
  };
}

} // namespace troupe::actors
