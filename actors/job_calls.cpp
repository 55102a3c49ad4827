// API calls that a supervisor makes itself: status, deletion of the job, the
// reason why the pod group waits, recovery.

#include "actors/job_supervisor.hpp"
#include "actors/metrics.hpp"
#include "config/logging.hpp"
#include "frameworks/core/auxiliary_objects.hpp"
#include "frameworks/core/events.hpp"
#include "frameworks/core/names.hpp"
#include "frameworks/core/retry.hpp"
#include "k8s/calls.hpp"
#include "k8s/codec.hpp"

#include <atomic>

namespace troupe::actors {

namespace {

/// Delay before the deletion of the job is repeated if the job still exists.
constexpr std::chrono::minutes delete_retry_delay{5};

void warn_once_that_crd_lacks_restarts(const core::framework& kind) {
  static std::atomic<bool> warned{false};
  if (!warned.exchange(true))
    log::warn(
        "the installed definition has no status.restarts, the count of "
        "restarts is kept in an annotation; apply deploy/crds",
        {{"kind", kind.type.kind}, {"annotation", core::label::restarts}});
}

} // namespace

void job_supervisor_state::call(own_call what, k8s::request r,
                                call_priority priority) {
  calls_.emplace(next_tag_, what);
  self_->send(context_->gateway_for(ref_->uid),
              api_call{next_tag_++, std::move(r), ref_->uid, priority,
                       caf::actor_cast<api_caller_actor>(self_), 0, nullptr,
                       ref_->ns});
}

void job_supervisor_state::on_api_response(const api_response& a) {
  auto i = calls_.find(a.tag);
  if (i == calls_.end())
    return; // A call of a recovery that was restarted: ignored.
  auto what = i->second;
  calls_.erase(i);
  const auto& answer = *a.outcome;
  switch (what.kind) {
  case call_kind::write_status:
    return on_status_written(answer);
  case call_kind::read_job:
    return on_job_read(answer);
  case call_kind::delete_job:
    return on_job_delete_answered(answer);
  case call_kind::read_group_events:
    return on_gang_answer(inquiry_.on_events(answer, now()));
  case call_kind::read_queue:
    return on_gang_answer(inquiry_.on_queue(answer, now()));
  case call_kind::list_children:
    return on_children_listed(what.listed, answer);
  case call_kind::read_for_request:
    return carry_out(requests_.on_read(what.number, answer, request_inputs()));
  }
}

// -- status -------------------------------------------------------------------

std::optional<k8s::time_point> job_supervisor_state::send_due_status_write() {
  auto step = status_writer_.next_step(status_, *ref_, version_, now(),
                                       context_->sizes->status_interval);
  record_all(step.events);
  if (step.write) {
    remember_for_report(step.write->description);
    call({call_kind::write_status}, std::move(step.write->request),
         step.write->priority);
  }
  return step.next_at;
}

void job_supervisor_state::on_status_written(
    const k8s::result<std::string>& r) {
  auto done = status_writer_.on_write_ended(r, status_, *ref_, now(),
                                            context_->jitter());
  version_ = std::max(version_, done.version);
  if (done.drops_restarts)
    warn_once_that_crd_lacks_restarts(*ref_->kind);
  if (done.foreign_status)
    status_ = status_writer_.saved();
  count_end(done.became_succeeded, done.became_failed);
  record_all(done.events);
  if (done.must_read_job)
    read_job();
  else
    enqueue_reconcile();
}

void job_supervisor_state::count_end(bool succeeded, bool failed) {
  if (succeeded)
    context_->counters->job_succeeded(ref_->ns, ref_->kind->name);
  if (failed)
    context_->counters->job_failed(ref_->ns, ref_->kind->name);
}

void job_supervisor_state::read_job() {
  read_job_again_at_.reset();
  call({call_kind::read_job}, k8s::get(ref_->object()));
}

void job_supervisor_state::read_job_again_after(
    std::chrono::milliseconds delay) {
  read_job_again_at_ = now() + delay;
  requeue_at(*read_job_again_at_);
}

// -- recovery -----------------------------------------------------------------

void job_supervisor_state::begin_recovery() {
  for (auto i = calls_.begin(); i != calls_.end();) {
    auto kind = i->second.kind;
    bool stale =
        kind == call_kind::read_job || kind == call_kind::list_children;
    i = stale ? calls_.erase(i) : std::next(i);
  }
  recovery_.begin();
  memory_.begin_recovery_lists();
  read_job();
}

void job_supervisor_state::on_job_read(const k8s::result<std::string>& r) {
  if (!r && r.error().code == k8s::ec::not_found)
    return; // The directory will stop this actor.
  auto item = r ? k8s::decode_object(*r, k8s::object_detail::spec_and_status)
                : k8s::result<k8s::object_ptr>(r.error());
  if (!item) {
    read_job_again_after(
        recovery_.complete()
            ? core::delay_after(item.error(), ++failed_job_reads_,
                                context_->jitter())
            : recovery_.failed(item.error(), context_->jitter()));
    return;
  }
  failed_job_reads_ = 0;
  if ((*item)->meta.uid != ref_->uid)
    return; // Another job of that name; ours was deleted.
  // The watch may already have delivered a newer version.
  if ((*item)->meta.resource_version >= version_)
    apply_observed_job(**item);
  if (recovery_.current() == recovery::state::reading_job && memory_.job())
    list_children();
}

void job_supervisor_state::list_children() {
  auto kinds = core::auxiliary_kinds_for(*ref_->kind, context_->sizes->cluster);
  kinds.push_back(core::child_kind::pod);
  kinds.push_back(core::child_kind::service);
  recovery_.begin_listing_children(kinds);
  for (auto kind : kinds) {
    // Auxiliary objects do not have our labels.
    k8s::selection all{core::resource_of(kind), ref_->ns, "", ""};
    if (core::is_replica_child(kind))
      all.label_selector = core::job_selector(*memory_.job());
    call({call_kind::list_children, kind},
         k8s::with_detail(core::watched_detail_of(*ref_->kind, kind),
                          k8s::list(all, 0, "")));
  }
}

void job_supervisor_state::on_children_listed(
    core::child_kind kind, const k8s::result<std::string>& r) {
  if (recovery_.current() != recovery::state::listing_children)
    return; // Another list failed; the recovery will restart.
  auto page =
      r ? k8s::decode_list(*r, core::watched_detail_of(*ref_->kind, kind))
        : k8s::result<k8s::list_page>(r.error());
  if (!page) {
    read_job_again_after(recovery_.failed(page.error(), context_->jitter()));
    return;
  }
  for (const auto& item : page->items)
    apply_change(memory_.record_child_listed(
        kind, *item, page->resource_version, status_writer_.saved()));
  recovery_.list_read(kind);
  if (recovery_.complete()) {
    memory_.end_recovery_lists();
    enqueue_reconcile();
    begin_next_request();
  }
}

// -- the job's removal --------------------------------------------------------

void job_supervisor_state::delete_job_unless_held(const core::delete_job& d) {
  if (removal_under_way_)
    return;
  if (removal_held_until_ && *removal_held_until_ > now()) {
    requeue_at(*removal_held_until_);
    return;
  }
  removal_under_way_ = true;
  remember_for_report(core::describe(d));
  call({call_kind::delete_job}, k8s::remove(ref_->object(), d.uid));
}

void job_supervisor_state::record_job_deletion() {
  context_->counters->job_deleted(ref_->ns, ref_->kind->name);
  record(core::job_deleted_event(*ref_->kind, ref_->name));
}

void job_supervisor_state::on_job_delete_answered(
    const k8s::result<std::string>& r) {
  removal_under_way_ = false;
  if (r) {
    record_job_deletion();
    // The watch will report the deletion. If it does not, a reconcile after
    // this time deletes again.
    removal_held_until_ = now() + delete_retry_delay;
    requeue_at(*removal_held_until_);
  } else if (r.error().code != k8s::ec::not_found) {
    record(core::job_delete_failed_event(*ref_->kind, r.error().message));
    removal_held_until_ =
        now()
        + core::delay_after(r.error(), ++removal_attempts_, context_->jitter());
    enqueue_reconcile();
  }
}

// -- gang inquiry -------------------------------------------------------------

std::optional<k8s::time_point>
job_supervisor_state::query_gang_reason_if_due() {
  auto step =
      inquiry_.next_step(*memory_.job(), memory_.seen(), status_,
                         context_->sizes->cluster, now(), context_->jitter());
  if (step.events_call)
    call({call_kind::read_group_events}, std::move(*step.events_call),
         call_priority::low);
  return step.next_at;
}

void job_supervisor_state::on_gang_answer(const gang_inquiry::result& answer) {
  if (answer.queue_call) {
    call({call_kind::read_queue}, *answer.queue_call, call_priority::low);
    return;
  }
  if (answer.reason)
    apply_change(memory_.record_waiting_reason(
        core::child_kind::volcano_group, inquiry_.group(),
        answer.reason->reason, answer.reason->message));
  enqueue_reconcile();
}

} // namespace troupe::actors
