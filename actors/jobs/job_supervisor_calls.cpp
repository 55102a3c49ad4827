// API calls that a supervisor makes itself: status, deletion of the job, the
// reason why the pod group waits, recovery.

#include "actors/jobs/job_supervisor.hpp"
#include "actors/metrics/metrics.hpp"
#include "config/logging.hpp"
#include "frameworks/core/base/retry.hpp"
#include "frameworks/core/gangs/native_gang.hpp"
#include "frameworks/core/memory/events.hpp"
#include "frameworks/core/model/names.hpp"
#include "frameworks/core/pass/auxiliary_objects.hpp"
#include "frameworks/core/pass/queueing.hpp"
#include "k8s/calls.hpp"
#include "k8s/codec/codec.hpp"

#include <atomic>

namespace troupe::actors {

namespace {

using purpose = own_calls::purpose;

void warn_once_that_crd_lacks_restarts(const core::framework& kind) {
  static std::atomic<bool> warned{false};
  if (!warned.exchange(true))
    log::warn("the installed definition has no status.restarts, the count of "
              "restarts is kept in an annotation; apply deploy/crds",
              {{"kind", kind.names.type.kind},
               {"annotation", core::label::restarts}});
}

void warn_once_that_crd_lacks_attempts(const core::framework& kind) {
  static std::atomic<bool> warned{false};
  if (!warned.exchange(true))
    log::warn("the installed definition has no status.restartAttempt or "
              "completedIndexes, attempts and replicas that are done are kept "
              "in an annotation; apply deploy/crds",
              {{"kind", kind.names.type.kind},
               {"annotation", core::label::recovery}});
}

void warn_once_that_status_cannot_be_patched(const core::framework& kind) {
  static std::atomic<bool> warned{false};
  if (!warned.exchange(true))
    log::warn(
        "may not patch the status of jobs and writes it by PUT: server-side "
        "apply forgets who owns labels, annotations and finalizers; grant "
        "`patch`, as deploy/rbac does",
        {{"resource", kind.names.type.plural + "/status"}});
}

} // namespace

void job_supervisor_state::send_own_call(
    const own_calls::call& what, k8s::request r, call_priority priority,
    std::function<k8s::result<k8s::request>()> make) {
  self_->send(context_->gateway_for(ref_->uid),
              api_call{calls_.record_sent(what),
                       make ? core::shared_value<k8s::request>{} : std::move(r),
                       ref_->uid, priority,
                       caf::actor_cast<api_caller_actor>(self_), 0,
                       std::move(make), ref_->ns});
}

void job_supervisor_state::on_own_call_response(const api_response& a) {
  auto what = calls_.take_answered(a.tag);
  if (!what)
    return; // A call of a recovery that was restarted: ignored.
  const auto& answer = *a.outcome;
  switch (what->what) {
  case purpose::write_status:
    return on_status_written(answer);
  case purpose::read_job:
    return on_job_read(answer);
  case purpose::delete_job:
    return on_job_delete_response(answer);
  case purpose::read_group_events:
    return on_gang_reason_answer(
        gang_reason_query_.change().on_events_response(answer, now()));
  case purpose::read_queue:
    return on_gang_reason_answer(
        gang_reason_query_.change().on_queue_response(answer, now()));
  case purpose::list_children:
    return on_children_listed(what->listed, answer);
  case purpose::read_for_request:
    return execute_step_and_begin_next_request(
        requests_.change().on_read_response(what->number, answer,
                                            request_inputs()));
  }
}

// -- status -------------------------------------------------------------------

std::optional<k8s::time_point> job_supervisor_state::write_status_if_due() {
  auto step = status_writer_.begin_write_if_due(
      status_, ref_, version_, now(), context_->options->status_interval);
  record_events_if_reconciling(step.events);
  if (step.write) {
    decision_log_.add(now(), step.write->description);
    send_own_call({purpose::write_status}, {}, step.write->priority,
                  std::move(step.write->make_request));
  }
  return step.next_at;
}

void job_supervisor_state::on_status_written(
    const k8s::result<std::string>& r) {
  auto done = status_writer_.on_write_ended(r, *status_, *ref_, now(),
                                            context_->jitter());
  version_ = std::max(version_, done.version);
  if (done.drops.restarts)
    warn_once_that_crd_lacks_restarts(*ref_->kind);
  if (done.drops.of_recovery())
    warn_once_that_crd_lacks_attempts(*ref_->kind);
  if (done.had_to_put)
    warn_once_that_status_cannot_be_patched(*ref_->kind);
  if (done.foreign_status)
    status_ = status_writer_.saved_status();
  count_finished_job(done.became_succeeded, done.became_failed);
  record_events_if_reconciling(done.events);
  if (done.must_read_job)
    read_job();
  else
    enqueue_reconcile();
}

void job_supervisor_state::count_finished_job(bool succeeded, bool failed) {
  if (succeeded && has_launcher_job())
    context_->counters->count_succeeded_mpi_job();
  if (failed && has_launcher_job())
    context_->counters->count_failed_mpi_job();
  if (succeeded)
    context_->counters->count_succeeded_job(ref_->ns,
                                            ref_->kind->names.short_name);
  if (failed)
    context_->counters->count_failed_job(ref_->ns,
                                         ref_->kind->names.short_name);
}

void job_supervisor_state::read_job() {
  reads_.on_job_asked_for();
  send_own_call({purpose::read_job}, k8s::get(ref_->object()));
}

// -- recovery -----------------------------------------------------------------

void job_supervisor_state::begin_recovery() {
  calls_.forget_reads_of_job_and_children();
  reads_.begin_recovery();
  memory_.begin_recovery_lists();
  read_job();
}

void job_supervisor_state::on_job_read(const k8s::result<std::string>& r) {
  // After 404, too, the job is read again: if it is gone, the watch will tell,
  // and the directory stop this actor; but a server that is starting answers
  // so before it has loaded its CRDs.
  auto item = r ? k8s::decode_object(*r, k8s::object_detail::spec_and_status)
                : k8s::result<k8s::object_ptr>(r.error());
  if (!item) {
    requeue_no_later_than(reads_.record_failure_and_get_retry_time(
        item.error(), now(), context_->jitter()));
    return;
  }
  reads_.on_job_read();
  if ((*item)->meta.uid != ref_->uid)
    return; // Another job of that name; ours was deleted.
  // The watch may already have delivered a newer version.
  if ((*item)->meta.resource_version >= version_)
    decode_and_apply_job(**item);
  if (reads_.current_state() == job_reads::state::reading_job && memory_.job())
    list_children();
}

void job_supervisor_state::list_children() {
  auto kinds =
      core::auxiliary_kinds_for(*ref_->kind, context_->options->cluster);
  kinds.push_back(core::child_kind::pod);
  kinds.push_back(core::child_kind::service);
  reads_.begin_lists(kinds);
  for (auto kind : kinds) {
    // Auxiliary objects do not have our labels.
    auto by = core::watch_selectors_of(kind);
    k8s::selection all{core::resource_of(kind), ref_->ns, by.labels, by.fields};
    if (core::is_replica_child(kind))
      all.label_selector = core::children_selector_of_job(*memory_.job());
    send_own_call(
        {purpose::list_children, kind},
        k8s::with_accept_header(core::watched_detail_of(*ref_->kind, kind),
                                k8s::list(all, 0, "")));
  }
}

void job_supervisor_state::on_children_listed(
    core::child_kind kind, const k8s::result<std::string>& r) {
  if (reads_.current_state() != job_reads::state::listing_children)
    return; // Another list failed; the recovery will restart.
  auto page =
      r ? k8s::decode_list(*r, core::watched_detail_of(*ref_->kind, kind))
        : k8s::result<k8s::list_page>(r.error());
  if (!page) {
    requeue_no_later_than(reads_.record_failure_and_get_retry_time(
        page.error(), now(), context_->jitter()));
    return;
  }
  for (const auto& item : page->items)
    count_emit_and_reconcile_if_needed(memory_.record_child_listed_if_own(
        kind, *item, page->resource_version, *status_writer_.saved_status()));
  reads_.on_list_read(kind);
  if (!reads_.is_recovering()) {
    memory_.end_recovery_lists();
    enqueue_reconcile();
    begin_next_pod_request_if_possible();
  }
}

// -- deletion of the job ------------------------------------------------------

void job_supervisor_state::delete_job_unless_delayed(
    const core::delete_job& d) {
  if (deletion_.is_in_flight())
    return;
  if (auto until = deletion_.delayed_until(now())) {
    requeue_no_later_than(*until);
    return;
  }
  deletion_.begin();
  decision_log_.add(now(), describe_decision(d));
  send_own_call({purpose::delete_job}, k8s::remove(ref_->object(), d.uid));
}

void job_supervisor_state::count_and_record_job_deletion() {
  context_->counters->count_deleted_job(ref_->ns, ref_->kind->names.short_name);
  record_events_if_reconciling(
      {core::job_deleted_event(*ref_->kind, ref_->name)});
}

void job_supervisor_state::on_job_delete_response(
    const k8s::result<std::string>& r) {
  if (r) {
    count_and_record_job_deletion();
    // The watch will report the deletion. If it does not, a reconcile after
    // this time deletes again.
    requeue_no_later_than(deletion_.record_done_and_get_repeat_time(now()));
    return;
  }
  // If it is gone already, the watch will tell; see on_job_read.
  if (r.error().code != k8s::ec::not_found)
    record_events_if_reconciling(
        {core::job_delete_failed_event(*ref_->kind, r.error().message)});
  deletion_.record_failure_and_get_retry_time(r.error(), now(),
                                              context_->jitter());
  enqueue_reconcile();
}

// -- why the pod group waits --------------------------------------------------

std::optional<k8s::time_point>
job_supervisor_state::query_gang_reason_if_due() {
  const auto& cluster = context_->options->cluster;
  if (cluster.scheduling == core::gang::kubernetes)
    return tell_native_gang_refusal_if_due();
  if (cluster.scheduling != core::gang::volcano)
    return std::nullopt;
  auto step = gang_reason_query_.change().begin_query_if_due(
      *memory_.job(), memory_.observed(), *status_, cluster, now(),
      context_->jitter());
  if (step.events_call)
    send_own_call({purpose::read_group_events}, std::move(*step.events_call),
                  call_priority::low);
  return step.next_at;
}

std::optional<k8s::time_point>
job_supervisor_state::tell_native_gang_refusal_if_due() {
  if (status_->is_finished())
    return std::nullopt;
  auto refusal =
      core::find_lasting_refusal(memory_.observed(), *memory_.job(), now());
  if (refusal.group)
    count_emit_and_reconcile_if_needed(memory_.record_not_admitted_reason(
        core::child_kind::native_group, refusal.group->uid.text(),
        refusal.problem.reason, refusal.problem.message));
  return refusal.look_again_at;
}

void job_supervisor_state::on_gang_reason_answer(
    const gang_reason_query::result& answer) {
  if (answer.queue_call) {
    send_own_call({purpose::read_queue}, *answer.queue_call,
                  call_priority::low);
    return;
  }
  if (answer.reason)
    count_emit_and_reconcile_if_needed(memory_.record_not_admitted_reason(
        core::child_kind::volcano_group, gang_reason_query_->pod_group_uid(),
        answer.reason->reason, answer.reason->message));
  enqueue_reconcile();
}

// -- what its queue of Kueue's tells ------------------------------------------

std::optional<k8s::time_point> job_supervisor_state::query_queue_news_if_due() {
  const auto& cluster = context_->options->cluster;
  if (!context_->queue_news
      || (queue_news_query_->is_idle()
          && !core::find_workload_without_quota(*memory_.job(),
                                                memory_.observed(), cluster)))
    return std::nullopt;
  auto step = queue_news_query_.change().begin_if_due(
      *memory_.job(), memory_.observed(), cluster, now(), context_->jitter());
  if (step.ask)
    self_->send(context_->queue_news,
                ask_for_queue_news{
                    caf::actor_cast<queue_news_listener_actor>(self_), ref_->ns,
                    std::move(step.ask->queue), std::move(step.ask->workload)});
  return step.next_at;
}

void job_supervisor_state::on_queue_news_read(const queue_news_read& r) {
  queue_news_query_.change().on_answer(r.news, now());
  enqueue_reconcile();
}

} // namespace troupe::actors
