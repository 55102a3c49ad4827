#include "actors/status_writer.hpp"

#include "actors/job_supervisor.hpp"
#include "actors/metrics.hpp"
#include "config/logging.hpp"
#include "frameworks/core/names.hpp"
#include "frameworks/core/retry.hpp"
#include "k8s/calls.hpp"
#include "k8s/codec.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>

namespace troupe::actors {

namespace {

void warn_once_of_dropping(const core::framework& kind) {
  static std::atomic<bool> warned{false};
  if (!warned.exchange(true))
    log::warn(
        "the installed definition has no status.restarts, the count of "
        "restarts is kept in an annotation; apply deploy/crds",
        {{"kind", kind.type.kind}, {"annotation", core::label::restarts}});
}

/// Whether the server keeps restarts, by its answer to a status that has some.
bool keeps_restarts(const k8s::object& answer) {
  const auto* raw = std::get_if<k8s::spec_and_status_state>(&answer.state);
  return raw && core::tells_restarts(raw->status);
}

} // namespace

bool status_writer::server_holds(core::job_status status) {
  stale_ = false;
  if (in_memory_only_)
    status.restarts = saved_.restarts;
  bool foreign = status != saved_ && !(writing_ && status == *writing_);
  saved_ = std::move(status);
  // What was decided on another picture is decided anew, its events with it.
  if (foreign && !writing_)
    waiting_events_.clear();
  return foreign;
}

void status_writer::tell_after_saving(std::vector<core::job_event> events) {
  waiting_events_.insert(waiting_events_.end(),
                         std::make_move_iterator(events.begin()),
                         std::make_move_iterator(events.end()));
}

std::optional<k8s::time_point> status_writer::settle() {
  if (writing_ || stale_)
    return std::nullopt; // Its end brings the next pass.
  auto now = owner_.now();
  auto due = core::status_due(saved_, owner_.status_, last_write_, now,
                              owner_.out_->sizes->status_interval);
  if (!due) {
    for (const auto& event : std::exchange(waiting_events_, {}))
      owner_.record(event);
    return std::nullopt;
  }
  if (held_until_)
    due = std::max(*due, *held_until_);
  if (*due > now)
    return due;
  if (drops_restarts_.value_or(false)
      && !core::same_restarts(saved_, owner_.status_))
    write_restarts();
  else
    write();
  return std::nullopt;
}

void status_writer::write_restarts() {
  writing_ = saved_;
  writing_->restarts = owner_.status_.restarts;
  writing_restarts_ = true;
  owner_.note("write restarts into the annotation");
  auto request = k8s::merge_patch(
      owner_.job_ref(), core::restarts_patch(*writing_, owner_.ref_->uid));
  owner_.call(
      job_supervisor_state::write_status,
      k8s::asking_for(k8s::object_detail::metadata, std::move(request)));
}

bool status_writer::keep_in_memory(const k8s::failure& why) {
  if (!why.is_refusal())
    return false;
  in_memory_only_ = true;
  saved_.restarts = owner_.status_.restarts;
  const auto& type = owner_.ref_->kind->type;
  owner_.record(
      {true, "RestartsNotSaved",
       "The count of restarts will be lost when the operator restarts: "
       "the definition of "
           + type.plural
           + " has no status.restarts, "
             "and the annotation "
           + core::label::restarts + " cannot be written: " + why.message});
  return true;
}

void status_writer::write() {
  writing_ = owner_.status_;
  writing_events_ = std::exchange(waiting_events_, {});
  last_write_ = owner_.now();
  const auto& ref = *owner_.ref_;
  nlohmann::json meta{{"name", ref.name},
                      {"namespace", ref.ns},
                      {"uid", ref.uid},
                      {"resourceVersion", std::to_string(owner_.version_)}};
  // The status is JSON text already; the rest is a frame around it.
  auto body = "{\"apiVersion\":\"" + ref.kind->type.api_version()
              + "\",\"kind\":\"" + ref.kind->type.kind
              + "\",\"metadata\":" + meta.dump()
              + ",\"status\":" + core::encode_status(*writing_) + "}";
  owner_.note("write status");
  // That a job has been seen may wait behind its pods; all else is waited for.
  bool first = saved_.conditions.empty() && !writing_->finished();
  auto request = k8s::update_status(owner_.job_ref(), std::move(body));
  // Once the answer has to show whether restarts are kept.
  looks_for_restarts_ = !drops_restarts_ && !writing_->restarts.empty();
  owner_.call(
      job_supervisor_state::write_status,
      looks_for_restarts_
          ? std::move(request)
          : k8s::asking_for(k8s::object_detail::metadata, std::move(request)),
      first ? urgency::soon : urgency::work);
}

bool status_writer::written(const k8s::result<std::string>& r) {
  auto attempt = std::exchange(writing_, std::nullopt);
  auto events = std::exchange(writing_events_, {});
  bool annotated = std::exchange(writing_restarts_, false);
  if (!attempt)
    return true;
  if (r) {
    failures_ = 0;
    held_until_.reset();
    bool look = looks_for_restarts_ && !annotated;
    auto item =
        k8s::decode_object(*r, look ? k8s::object_detail::spec_and_status
                                    : k8s::object_detail::metadata);
    if (item)
      owner_.version_ = std::max(owner_.version_, (*item)->meta.version);
    if (look && item) {
      drops_restarts_ = !keeps_restarts(**item);
      if (*drops_restarts_)
        warn_once_of_dropping(*owner_.ref_->kind);
    }
    if (!annotated && drops_restarts_.value_or(false))
      attempt->restarts = saved_.restarts; // What the annotation says.
    auto before = std::exchange(saved_, std::move(*attempt));
    count_outcome(before);
    for (const auto& event : events)
      owner_.record(event);
    return true;
  }
  const auto& why = r.error();
  last_failure_ = why.message;
  if (annotated && keep_in_memory(why))
    return true;
  waiting_events_.insert(waiting_events_.begin(), events.begin(), events.end());
  if (why.code == k8s::ec::conflict) {
    stale_ = true; // Somebody wrote meanwhile: look, then decide again.
    return false;
  }
  held_until_ =
      owner_.now() + core::delay_after(why, ++failures_, owner_.out_->jitter());
  // Without an answer nobody knows whether it was written: look, too. A job
  // that is gone needs no look, the news of its end is on its way.
  return why.code != k8s::ec::timeout;
}

void status_writer::count_outcome(const core::job_status& before) const {
  namespace type = core::condition_type;
  auto& counters = *owner_.out_->counters;
  const auto& ref = *owner_.ref_;
  auto became = [&](const char* kind) {
    return saved_.is(kind) && !before.is(kind);
  };
  if (became(type::succeeded))
    counters.job_succeeded(ref.ns, ref.kind->name);
  if (became(type::failed))
    counters.job_failed(ref.ns, ref.kind->name);
}

nlohmann::json status_writer::report() const {
  return {{"saved", nlohmann::json::parse(core::encode_status(saved_))},
          {"writeUnderWay", writing_.has_value()},
          {"failuresInARow", failures_},
          {"lastFailure", last_failure_}};
}

} // namespace troupe::actors
