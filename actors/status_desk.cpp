#include "actors/status_desk.hpp"

#include "actors/job_supervisor.hpp"
#include "actors/metrics.hpp"
#include "frameworks/core/retry.hpp"
#include "k8s/calls.hpp"
#include "k8s/codec.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace troupe::actors {

bool status_desk::server_holds(core::job_status status) {
  stale_ = false;
  bool foreign = status != saved_ && !(writing_ && status == *writing_);
  saved_ = std::move(status);
  // What was decided on another picture is decided anew, its events with it.
  if (foreign && !writing_)
    waiting_events_.clear();
  return foreign;
}

void status_desk::tell_after_saving(std::vector<core::tell> events) {
  waiting_events_.insert(waiting_events_.end(),
                         std::make_move_iterator(events.begin()),
                         std::make_move_iterator(events.end()));
}

std::optional<k8s::time_point> status_desk::settle() {
  if (writing_ || stale_)
    return std::nullopt; // Its end brings the next pass.
  auto now = owner_.now();
  auto due = core::status_due(saved_, owner_.status_, last_write_, now,
                              owner_.out_->sizes->status_interval);
  if (!due) {
    for (const auto& event : std::exchange(waiting_events_, {}))
      owner_.tell(event);
    return std::nullopt;
  }
  if (held_until_)
    due = std::max(*due, *held_until_);
  if (*due > now)
    return due;
  write();
  return std::nullopt;
}

void status_desk::write() {
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
  owner_.call(job_supervisor_state::write_status,
              k8s::asking_for(k8s::content::bare, std::move(request)),
              first ? urgency::soon : urgency::work);
}

bool status_desk::written(const k8s::result<std::string>& r) {
  auto attempt = std::exchange(writing_, std::nullopt);
  auto events = std::exchange(writing_events_, {});
  if (!attempt)
    return true;
  if (r) {
    failures_ = 0;
    held_until_.reset();
    if (auto item = k8s::decode_object(*r, k8s::content::bare))
      owner_.version_ = std::max(owner_.version_, (*item)->meta.version);
    auto before = std::exchange(saved_, std::move(*attempt));
    count_outcome(before);
    for (const auto& event : events)
      owner_.tell(event);
    return true;
  }
  const auto& why = r.error();
  last_failure_ = why.what;
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

void status_desk::count_outcome(const core::job_status& before) const {
  namespace type = core::condition_type;
  auto& counters = *owner_.out_->counters;
  const auto& ref = *owner_.ref_;
  auto became = [&](const char* what) {
    return saved_.is(what) && !before.is(what);
  };
  if (became(type::succeeded))
    counters.job_succeeded(ref.ns, ref.kind->name);
  if (became(type::failed))
    counters.job_failed(ref.ns, ref.kind->name);
}

nlohmann::json status_desk::report() const {
  return {{"saved", nlohmann::json::parse(core::encode_status(saved_))},
          {"writeUnderWay", writing_.has_value()},
          {"failuresInARow", failures_},
          {"lastFailure", last_failure_}};
}

} // namespace troupe::actors
