#include "actors/status_writer.hpp"

#include "frameworks/core/names.hpp"
#include "frameworks/core/retry.hpp"
#include "k8s/calls.hpp"
#include "k8s/codec.hpp"
#include "k8s/json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace troupe::actors {

namespace {

/// Whether the server keeps restarts, by its answer to a status that has some.
bool keeps_restarts(const k8s::object& answer) {
  const auto* state = std::get_if<k8s::spec_and_status_state>(&answer.state);
  return state && core::has_restarts_field(state->status);
}

core::job_event restarts_not_saved(const job_reference& job,
                                   const k8s::failure& why) {
  return {true, "RestartsNotSaved",
          "The count of restarts will be lost when the operator restarts: the "
          "definition of "
              + job.kind->type.plural
              + " has no status.restarts, and the annotation "
              + core::label::restarts + " cannot be written: " + why.message};
}

} // namespace

bool status_writer::server_holds(core::job_status status) {
  stale_ = false;
  if (in_memory_only_)
    status.restarts = saved_.restarts;
  bool foreign = status != saved_ && !(writing_ && status == *writing_);
  saved_ = std::move(status);
  // The next pass decides again, from this status, and repeats its events.
  if (foreign && !writing_)
    waiting_events_.clear();
  return foreign;
}

void status_writer::record_after_saving(std::vector<core::job_event> events) {
  waiting_events_.insert(waiting_events_.end(),
                         std::make_move_iterator(events.begin()),
                         std::make_move_iterator(events.end()));
}

status_step status_writer::next(const core::job_status& wanted,
                                const job_reference& job, std::uint64_t version,
                                k8s::time_point now,
                                std::chrono::milliseconds interval) {
  status_step step;
  if (writing_ || stale_)
    return step; // The end of that brings the next pass.
  auto due =
      core::status_write_due_at(saved_, wanted, last_write_, now, interval);
  if (!due) {
    step.events = std::exchange(waiting_events_, {});
    return step;
  }
  if (held_until_)
    due = std::max(*due, *held_until_);
  if (*due > now)
    step.next_at = due;
  else if (drops_restarts_.value_or(false)
           && !core::same_restarts(saved_, wanted))
    step.write = write_restarts(wanted, job);
  else
    step.write = write_status(wanted, job, version, now);
  return step;
}

status_write status_writer::write_restarts(const core::job_status& wanted,
                                           const job_reference& job) {
  writing_ = saved_;
  writing_->restarts = wanted.restarts;
  writing_restarts_ = true;
  auto request = k8s::merge_patch(
      job.object(), core::restarts_annotation_patch(*writing_, job.uid));
  return {k8s::with_detail(k8s::object_detail::metadata, std::move(request)),
          priority::normal, "write restarts into the annotation"};
}

status_write status_writer::write_status(const core::job_status& wanted,
                                         const job_reference& job,
                                         std::uint64_t version,
                                         k8s::time_point now) {
  writing_ = wanted;
  writing_events_ = std::exchange(waiting_events_, {});
  last_write_ = now;
  nlohmann::json meta{{"name", job.name},
                      {"namespace", job.ns},
                      {"uid", job.uid},
                      {"resourceVersion", std::to_string(version)}};
  // The status is JSON text already; the rest is a frame around it.
  auto body = "{\"apiVersion\":\"" + job.kind->type.api_version()
              + "\",\"kind\":\"" + job.kind->type.kind
              + "\",\"metadata\":" + k8s::to_text(meta)
              + ",\"status\":" + core::encode_status(*writing_) + "}";
  // The first status says little (Created), so it may wait behind the pods.
  bool first = saved_.conditions.empty() && !writing_->finished();
  // The first answer to restarts shows whether the server keeps them.
  looks_for_restarts_ = !drops_restarts_ && !writing_->restarts.empty();
  auto request = k8s::update_status(job.object(), std::move(body));
  if (!looks_for_restarts_)
    request =
        k8s::with_detail(k8s::object_detail::metadata, std::move(request));
  return {std::move(request), first ? priority::low : priority::normal,
          "write status"};
}

status_written status_writer::written(const k8s::result<std::string>& answer,
                                      const core::job_status& wanted,
                                      const job_reference& job,
                                      k8s::time_point now, double jitter) {
  status_written result;
  auto attempt = std::exchange(writing_, std::nullopt);
  auto events = std::exchange(writing_events_, {});
  bool wrote_annotation = std::exchange(writing_restarts_, false);
  if (!attempt)
    return result;
  if (answer)
    return handle_success(*answer, std::move(*attempt), std::move(events),
                          wrote_annotation);
  const auto& why = answer.error();
  last_failure_ = why.message;
  if (wrote_annotation && why.is_refusal()) {
    // The server keeps the restarts nowhere, so only this process knows them.
    in_memory_only_ = true;
    saved_.restarts = wanted.restarts;
    result.events.push_back(restarts_not_saved(job, why));
    return result;
  }
  waiting_events_.insert(waiting_events_.begin(), events.begin(), events.end());
  if (why.code == k8s::ec::conflict) {
    stale_ = true; // Somebody wrote meanwhile: read, then decide again.
    result.must_read_job = true;
    return result;
  }
  held_until_ = now + core::delay_after(why, ++failures_, jitter);
  // A job that is gone need not be read: its watch will say so.
  result.must_read_job = why.code == k8s::ec::timeout;
  return result;
}

status_written status_writer::handle_success(
    const std::string& answer, core::job_status attempt,
    std::vector<core::job_event> events, bool wrote_annotation) {
  namespace type = core::condition_type;
  status_written result;
  failures_ = 0;
  held_until_.reset();
  bool look = looks_for_restarts_ && !wrote_annotation;
  auto item =
      k8s::decode_object(answer, look ? k8s::object_detail::spec_and_status
                                      : k8s::object_detail::metadata);
  if (item)
    result.version = (*item)->meta.resource_version;
  if (look && item) {
    drops_restarts_ = !keeps_restarts(**item);
    result.drops_restarts = *drops_restarts_;
  }
  if (!wrote_annotation && drops_restarts_.value_or(false))
    attempt.restarts = saved_.restarts; // What the annotation says.
  auto before = std::exchange(saved_, std::move(attempt));
  auto became = [&](const char* condition) {
    return saved_.is_true(condition) && !before.is_true(condition);
  };
  result.became_succeeded = became(type::succeeded);
  result.became_failed = became(type::failed);
  result.events = std::move(events);
  return result;
}

nlohmann::json status_writer::report() const {
  return {{"saved", nlohmann::json::parse(core::encode_status(saved_))},
          {"writeUnderWay", writing_.has_value()},
          {"failuresInARow", failures_},
          {"lastFailure", last_failure_}};
}

} // namespace troupe::actors
