// The calls that a supervisor makes itself: its job's status and removal, and
// reading everything again after its predecessor died.

#include "actors/job_supervisor.hpp"
#include "actors/metrics.hpp"
#include "config/logging.hpp"
#include "frameworks/core/auxiliary_objects.hpp"
#include "frameworks/core/events.hpp"
#include "frameworks/core/names.hpp"
#include "frameworks/core/retry.hpp"
#include "k8s/calls.hpp"
#include "k8s/codec.hpp"

#include <algorithm>
#include <atomic>

namespace troupe::actors {

namespace {

/// How long the news may take that the job we deleted is gone.
constexpr std::chrono::minutes removal_patience{5};

void warn_once_of_dropped_restarts(const core::framework& kind) {
  static std::atomic<bool> warned{false};
  if (!warned.exchange(true))
    log::warn(
        "the installed definition has no status.restarts, the count of "
        "restarts is kept in an annotation; apply deploy/crds",
        {{"kind", kind.type.kind}, {"annotation", core::label::restarts}});
}

} // namespace

k8s::object_ref job_supervisor_state::job_ref() const {
  return {ref_->kind->type, ref_->ns, ref_->name};
}

void job_supervisor_state::call(std::uint64_t kind, k8s::request r,
                                priority when) {
  self_->send(out_->gateway_for(ref_->uid),
              api_call{kind, std::move(r), ref_->uid, when,
                       caf::actor_cast<api_caller_actor>(self_)});
}

void job_supervisor_state::answered(const api_answer& a) {
  const auto& outcome = *a.outcome;
  switch (static_cast<call_kind>(a.tag)) {
  case write_status:
    status_was_written(outcome);
    break;
  case read_job:
    job_was_read(outcome);
    break;
  case remove_job:
    job_was_removed(outcome);
    break;
  case read_group_events:
    inquiry_.events_read(outcome);
    break;
  case read_queue:
    inquiry_.queue_read(outcome);
    break;
  default:
    auto number = a.tag - recover_children;
    if (number / core::child_kind_count == recover_round_)
      recovered(static_cast<core::child_kind>(number % core::child_kind_count),
                outcome);
  }
}

std::optional<k8s::time_point> job_supervisor_state::write_due_status() {
  auto step = status_writer_.next(status_, *ref_, version_, now(),
                                  out_->sizes->status_interval);
  record_all(step.events);
  if (step.write) {
    note(step.write->description);
    call(write_status, std::move(step.write->request), step.write->when);
  }
  return step.next_at;
}

void job_supervisor_state::status_was_written(
    const k8s::result<std::string>& r) {
  auto done = status_writer_.written(r, status_, *ref_, now(), out_->jitter());
  version_ = std::max(version_, done.version);
  if (done.drops_restarts)
    warn_once_of_dropped_restarts(*ref_->kind);
  if (done.became_succeeded)
    out_->counters->job_succeeded(ref_->ns, ref_->kind->name);
  if (done.became_failed)
    out_->counters->job_failed(ref_->ns, ref_->kind->name);
  record_all(done.events);
  if (done.must_read_job)
    call(read_job, k8s::get(job_ref()));
  else
    reconcile_soon();
}

void job_supervisor_state::job_was_read(const k8s::result<std::string>& r) {
  if (!r && r.error().code == k8s::ec::not_found)
    return; // The directory will tell us.
  auto item = r ? k8s::decode_object(*r, k8s::object_detail::spec_and_status)
                : k8s::result<k8s::object_ptr>(r.error());
  if (!item) {
    auto delay =
        core::delay_after(item.error(), ++recover_attempts_, out_->jitter());
    to_recover_ = std::max(to_recover_, 1);
    wake_at(now() + delay);
    return;
  }
  if ((*item)->meta.uid != ref_->uid)
    return; // Another job of that name; ours is gone.
  // The watch may have been faster, with a newer one.
  if ((*item)->meta.version >= version_)
    adopt_job(**item);
  if (to_recover_ > 0) {
    auto kinds = children();
    to_recover_ = static_cast<int>(kinds.size());
    for (auto kind : kinds) {
      // Auxiliary objects carry no labels of ours.
      k8s::selection all{core::resource_of(kind), ref_->ns, "", ""};
      if (core::is_replica_child(kind))
        all.label_selector = core::job_selector(*job_);
      call(recover_children + recover_round_ * core::child_kind_count
               + core::index_of(kind),
           k8s::asking_for(core::watched_detail_of(kind),
                           k8s::list(all, 0, "")));
    }
  }
}

std::vector<core::child_kind> job_supervisor_state::children() const {
  auto kinds = core::auxiliary_kinds_of(*ref_->kind, out_->sizes->cluster);
  kinds.push_back(core::child_kind::pod);
  kinds.push_back(core::child_kind::service);
  return kinds;
}

void job_supervisor_state::recover() {
  to_recover_ = 1;
  ++recover_round_; // Answers to the round before are ignored now.
  call(read_job, k8s::get(job_ref()));
}

/// A list of auxiliary objects has those of others in it: they have no labels.
bool job_supervisor_state::concerns_us(core::child_kind kind,
                                       const k8s::object& item) const {
  const auto* owner = item.meta.controller();
  return core::is_replica_child(kind) || (owner && owner->uid == ref_->uid);
}

void job_supervisor_state::recovered(core::child_kind kind,
                                     const k8s::result<std::string>& r) {
  auto keep = core::watched_detail_of(kind);
  auto page =
      r ? k8s::decode_list(*r, keep) : k8s::result<k8s::list_page>(r.error());
  if (!page) {
    wake_at(
        now()
        + core::delay_after(page.error(), ++recover_attempts_, out_->jitter()));
    return;
  }
  for (const auto& item : page->items)
    if (gone_early_.count(item->meta.uid) == 0 && concerns_us(kind, *item))
      take_child(kind, *item, 0, page->version);
  if (--to_recover_ == 0) {
    recover_attempts_ = 0;
    gone_early_.clear();
    reconcile_soon();
  }
}

void job_supervisor_state::remove_the_job(const core::remove_job& d) {
  if (removal_under_way_)
    return;
  if (removal_held_until_ && *removal_held_until_ > now()) {
    wake_at(*removal_held_until_);
    return;
  }
  removal_under_way_ = true;
  note(core::describe(d));
  call(remove_job, k8s::remove(job_ref(), d.uid));
}

void job_supervisor_state::tell_of_removal() {
  out_->counters->job_deleted(ref_->ns, ref_->kind->name);
  record(core::job_deleted_event(*ref_->kind, ref_->name));
}

void job_supervisor_state::job_was_removed(const k8s::result<std::string>& r) {
  removal_under_way_ = false;
  if (r) {
    tell_of_removal();
    // The news of its end is on its way. A pass after this time asks again.
    removal_held_until_ = now() + removal_patience;
  } else if (r.error().code != k8s::ec::not_found) {
    record(core::job_delete_failed_event(*ref_->kind, r.error().message));
    removal_held_until_ =
        now()
        + core::delay_after(r.error(), ++removal_attempts_, out_->jitter());
    reconcile_soon();
  }
}

} // namespace troupe::actors
