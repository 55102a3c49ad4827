#include "actors/jobs/status_writer.hpp"

#include "frameworks/core/base/retry.hpp"
#include "frameworks/core/memory/events.hpp"
#include "k8s/calls.hpp"
#include "k8s/codec/codec.hpp"
#include "k8s/json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace troupe::actors {

namespace {

/// How long a status is written by PUT after a PATCH was forbidden. The right
/// may be granted meanwhile.
constexpr std::chrono::minutes put_period{10};

/// How often in a row an ended job tries to write annotations, so that those
/// that are kept for years do not try for ever.
constexpr int most_tries_of_ended_job = 5;

/// Replaces the status, and nothing else, of the job in that version.
std::string status_patch(const core::job_status& status,
                         const job_reference& job, std::uint64_t version) {
  auto put = [](const char* path, const std::string& value) {
    return std::string{R"({"op":"add","path":")"} + path + R"(","value":)"
           + value + "}";
  };
  return "[" + put("/metadata/uid", k8s::to_quoted(job.uid)) + ","
         + put("/metadata/resourceVersion",
               k8s::to_quoted(std::to_string(version)))
         + "," + put("/status", job.kind->own.status.encode(status)) + "]";
}

/// The job with that status, for a PUT.
std::string job_body_with_status(const core::job_status& status,
                                 const job_reference& job,
                                 std::uint64_t version) {
  nlohmann::json meta{{"name", job.name},
                      {"namespace", job.ns},
                      {"uid", job.uid},
                      {"resourceVersion", std::to_string(version)}};
  // The status is JSON text already; the rest is a frame around it.
  return "{\"apiVersion\":\"" + job.kind->names.type.api_version()
         + "\",\"kind\":\"" + job.kind->names.type.kind
         + "\",\"metadata\":" + k8s::to_text(meta)
         + ",\"status\":" + job.kind->own.status.encode(status) + "}";
}

const char* description_of_annotation_write(const core::kept_parts& which) {
  if (!which.of_recovery())
    return "write restarts into the annotation";
  return which.restarts ? "write restarts and attempts into annotations"
                        : "write attempts into the annotation";
}

} // namespace

bool status_writer::attempt::writes_succeeded_condition() const {
  return status->is_condition_true(core::condition_type::succeeded)
         && !had_succeeded;
}

bool status_writer::attempt::writes_failed_condition() const {
  return status->is_condition_true(core::condition_type::failed) && !had_failed;
}

status_writer::attempt
status_writer::make_write_attempt(core::shared_status status) const {
  attempt result;
  result.status = std::move(status);
  result.had_succeeded =
      saved_->is_condition_true(core::condition_type::succeeded);
  result.had_failed = saved_->is_condition_true(core::condition_type::failed);
  return result;
}

server_status_change
status_writer::record_server_status(core::job_status status) {
  stale_ = false;
  if (in_memory_only_.any())
    status = with_parts_of(std::move(status), in_memory_only_, *saved_);
  server_status_change result;
  bool is_new = saved_ != status;
  auto lost_answer = std::exchange(unconfirmed_, {});
  if (lost_answer && lost_answer->status == status) {
    // Its events are still waiting; the next reconcile finds nothing to write.
    result.became_succeeded = lost_answer->writes_succeeded_condition();
    result.became_failed = lost_answer->writes_failed_condition();
  } else if (!writing_) {
    result.foreign = is_new;
  } else if (is_new && writing_->status != status) {
    writing_->foreign_status_seen = true;
  }
  if (is_new)
    saved_ = std::move(status);
  // The next reconcile decides again, from this status, and repeats its events.
  if (result.foreign)
    waiting_events_.clear();
  return result;
}

void status_writer::queue_events_until_status_saved(
    std::vector<core::job_event> events) {
  waiting_events_.insert(waiting_events_.end(),
                         std::make_move_iterator(events.begin()),
                         std::make_move_iterator(events.end()));
}

core::shared_status status_writer::without_dropped_progress(
    const core::shared_status& wanted) const {
  if (!drops_.progress || wanted->progress == saved_->progress)
    return wanted;
  auto result = *wanted;
  result.progress = saved_->progress;
  return result;
}

void status_writer::queue_events_again(std::vector<core::job_event> events) {
  waiting_events_.insert(waiting_events_.begin(),
                         std::make_move_iterator(events.begin()),
                         std::make_move_iterator(events.end()));
}

std::vector<core::job_event>
status_writer::take_events_of_write(const core::job_status& written,
                                    const core::job_status& wanted,
                                    const job_reference& job) {
  auto events = std::exchange(waiting_events_, {});
  if (written.recovery->attempt != wanted.recovery->attempt)
    waiting_events_ = core::take_restart_events(events, *job.kind);
  return events;
}

status_step status_writer::begin_write_if_due(
    const core::shared_status& all_wanted,
    const std::shared_ptr<const job_reference>& job,
    std::uint64_t job_resource_version, k8s::time_point now,
    std::chrono::milliseconds min_interval) {
  status_step step;
  const auto wanted = without_dropped_progress(all_wanted);
  if (writing_ || stale_)
    return step; // The end of that write enqueues the next reconcile.
  bool changed = (drops_ & different_parts(*saved_, *wanted)).any();
  bool again = !changed && must_try_annotations_again(*wanted);
  if (!changed && !again)
    annotations_refused_.reset();
  // What is kept in memory meanwhile holds up nothing that is new.
  bool attempt_held = changed && does_attempt_wait();
  bool refused = (attempt_held || again) && are_annotations_held(now);
  bool annotates = (changed || again) && !refused;
  const auto& next =
      refused && attempt_held ? without_refused_parts(*wanted) : wanted;
  if (refused)
    step.next_at = annotations_refused_->until;
  auto due = again && annotates
                 ? now
                 : core::status_write_due_at(*saved_, *next, last_write_, now,
                                             min_interval);
  if (!due) {
    step.events = take_events_of_write(*next, *wanted, *job);
    return step;
  }
  if (held_until_
      && !core::has_wait_ended_or_clock_reset(last_write_, *held_until_, now))
    due = std::max(*due, *held_until_);
  if (*due > now)
    step.next_at = step.next_at ? std::min(step.next_at, due) : due;
  else if (annotates)
    step.write = begin_annotation_write(*wanted, job, job_resource_version);
  else
    step.write =
        begin_status_write(next, *wanted, job, job_resource_version, now);
  return step;
}

bool status_writer::does_attempt_wait() const {
  return annotations_refused_ && annotations_refused_->attempt_waits;
}

bool status_writer::must_try_annotations_again(
    const core::job_status& wanted) const {
  return annotations_refused_
         && (in_memory_only_.restarts || in_memory_only_.of_recovery())
         && (!wanted.is_finished()
             || annotations_refused_->times < most_tries_of_ended_job);
}

bool status_writer::are_annotations_held(k8s::time_point now) const {
  return annotations_refused_
         && !core::has_wait_ended_or_clock_reset(
             annotations_refused_->at, annotations_refused_->until, now);
}

/// Counts of before are all that tells another process that a pod was lost. In
/// a job that is suspended or has ended that means nothing.
core::shared_status
status_writer::without_refused_parts(const core::job_status& wanted) const {
  auto rest = with_parts_of(wanted, drops_, *saved_);
  if (!wanted.is_finished()
      && !wanted.is_condition_true(core::condition_type::suspended))
    for (auto& [type, counts] : rest.replicas)
      counts = counts_before(type);
  return rest;
}

core::replica_status
status_writer::counts_before(const std::string& type) const {
  auto before = saved_->replicas.find(type);
  return before == saved_->replicas.end() ? core::replica_status{}
                                          : before->second;
}

status_write status_writer::begin_annotation_write(
    const core::job_status& wanted,
    const std::shared_ptr<const job_reference>& job, std::uint64_t version) {
  writing_ = copied_ptr<attempt>(
      make_write_attempt(with_parts_of(*saved_, drops_, wanted)));
  writing_->annotated = drops_;
  auto make = [status = writing_->status, job, version, which = drops_] {
    return k8s::result<k8s::request>{k8s::with_accept_header(
        k8s::object_detail::metadata,
        k8s::merge_patch(
            job->object(),
            core::kept_parts_patch(*status, which, job->uid, version)))};
  };
  return {std::move(make), call_priority::normal,
          description_of_annotation_write(drops_)};
}

status_write status_writer::begin_status_write(
    const core::shared_status& status, const core::job_status& wanted,
    const std::shared_ptr<const job_reference>& job, std::uint64_t version,
    k8s::time_point now) {
  // The first answer to such a part shows whether the server keeps it. What is
  // not wanted any more may be in an annotation.
  const auto looked_for =
      ~(drops_ | keeps_)
      & (parts_of_status(*status) | parts_of_status(*saved_));
  auto written = status;
  if (looked_for.attempts
      && status->recovery->attempt > saved_->recovery->attempt) {
    // If the attempt is dropped, the counts of before are all that tells
    // another process that a pod was lost.
    auto with_old_counts = *status;
    for (auto& [type, counts] : with_old_counts.replicas)
      counts = counts_before(type);
    written = std::move(with_old_counts);
  }
  writing_ = copied_ptr<attempt>(make_write_attempt(std::move(written)));
  writing_->looked_for = looked_for;
  writing_->events = take_events_of_write(*status, wanted, *job);
  last_write_ = now;
  // The first status contains little (Created), so it may wait behind the pods.
  bool first = saved_->conditions.empty() && !status->is_finished();
  auto detail = writing_->looked_for.any() ? k8s::object_detail::spec_and_status
                                           : k8s::object_detail::metadata;
  bool by_put =
      patch_forbidden_at_
      && !core::has_wait_ended_or_clock_reset(
          *patch_forbidden_at_, *patch_forbidden_at_ + put_period, now);
  writing_->by_patch = !by_put;
  auto make = [status = writing_->status, job, version, detail, by_put] {
    auto request =
        by_put ? k8s::update_status(
            job->object(), job_body_with_status(*status, *job, version))
               : k8s::patch_status(job->object(),
                                   status_patch(*status, *job, version));
    return k8s::result<k8s::request>{
        k8s::with_accept_header(detail, std::move(request))};
  };
  bool may_wait = first || core::differ_only_in_progress(*saved_, *status);
  return {std::move(make),
          may_wait ? call_priority::low : call_priority::normal,
          "write status"};
}

status_write_outcome status_writer::on_write_ended(
    const k8s::result<std::string>& answer, const core::job_status& wanted,
    const job_reference& job, k8s::time_point now, double jitter) {
  status_write_outcome result;
  auto wrote = std::exchange(writing_, {});
  if (!wrote)
    return result;
  if (answer)
    return on_write_succeeded(*answer, std::move(*wrote), job);
  const auto& why = answer.error();
  if (wrote->annotated.any() && why.is_refusal())
    return on_annotations_refused(*wrote, wanted, job, why, now, jitter);
  last_failure_ = why;
  result.foreign_status = wrote->foreign_status_seen;
  if (wrote->foreign_status_seen)
    waiting_events_.clear(); // A reconcile that starts from the foreign status
                             // repeats them.
  else
    queue_events_again(std::move(wrote->events));
  // A server that is starting answers so once, before it has loaded its roles.
  if (why.code == k8s::ec::forbidden && wrote->by_patch
      && ++patch_refusals_ >= 2) {
    patch_forbidden_at_ = now; // The next write is a PUT, at once.
    return result;
  }
  if (why.code == k8s::ec::forbidden && !wrote->by_patch) {
    patch_forbidden_at_.reset();
    patch_refusals_ = 0;
  }
  if (why.code == k8s::ec::conflict) {
    stale_ = true; // Another client wrote meanwhile: read, then decide again.
    result.must_read_job = true;
    return result;
  }
  held_until_ = now + core::retry_delay_after(why, ++failures_, jitter);
  if (!why.is_refusal())
    unconfirmed_ = std::move(wrote);
  // A deleted job need not be read: its watch will report the deletion.
  result.must_read_job = why.code == k8s::ec::timeout;
  return result;
}

status_write_outcome status_writer::on_annotations_refused(
    const attempt& wrote, const core::job_status& wanted,
    const job_reference& job, const k8s::failure& why, k8s::time_point now,
    double jitter) {
  // Pods are stopped because of it, so it may not be forgotten.
  bool begins_attempt =
      wrote.annotated.attempts && !wanted.is_finished()
      && wanted.recovery->attempt != saved_->recovery->attempt;
  bool waited = does_attempt_wait();
  auto times = annotations_refused_ ? annotations_refused_->times + 1 : 1;
  annotations_refused_ =
      refusal{times, now, now + core::retry_delay_after(why, times, jitter),
              begins_attempt, why};
  if (begins_attempt) {
    status_write_outcome result;
    if (!waited)
      result.events.push_back(core::attempt_not_saved_event(
          *job.kind, wanted.recovery->attempt, why));
    return result;
  }
  // The server keeps them nowhere, so only this process knows them until they
  // can be written.
  in_memory_only_ = in_memory_only_ | wrote.annotated;
  auto lost = wrote.annotated & different_parts(*saved_, wanted);
  saved_ = with_parts_of(*saved_, wrote.annotated, wanted);
  status_write_outcome result;
  if (lost.restarts)
    result.events.push_back(core::restarts_not_saved_event(*job.kind, why));
  if (lost.of_recovery())
    result.events.push_back(core::recovery_not_saved_event(*job.kind, why));
  return result;
}

core::kept_parts status_writer::learn_dropped_parts(const k8s::object& answer,
                                                    const attempt& wrote,
                                                    const job_reference& job) {
  const auto* state = std::get_if<k8s::spec_and_status_state>(&answer.state);
  auto written = parts_of_status(*wrote.status);
  auto stored =
      job.kind->own.status.decode(state ? state->status : std::string_view{});
  // What is in an annotation has to be changed there.
  auto drops =
      wrote.looked_for
      & ((written & dropped_parts(*wrote.status, stored))
         | (~written & core::parts_of_annotations(answer.meta.annotations)));
  keeps_ = keeps_ | (wrote.looked_for & written & ~drops);
  // Both are written at once, because the one is about the other.
  drops.completed |= drops.attempts && !drops_.completed;
  keeps_ = keeps_ & ~drops;
  drops_ = drops_ | drops;
  return drops;
}

status_write_outcome
status_writer::on_write_succeeded(const std::string& answer, attempt wrote,
                                  const job_reference& job) {
  status_write_outcome result;
  failures_ = 0;
  if (wrote.by_patch)
    patch_refusals_ = 0;
  held_until_.reset();
  bool look = wrote.looked_for.any();
  auto item =
      k8s::decode_object(answer, look ? k8s::object_detail::spec_and_status
                                      : k8s::object_detail::metadata);
  if (item)
    result.version = (*item)->meta.resource_version;
  result.had_to_put = !wrote.by_patch && !wrote.annotated.any();
  in_memory_only_ = in_memory_only_ & ~wrote.annotated;
  if (wrote.annotated.any())
    annotations_refused_.reset();
  auto stored = wrote.status;
  if (look && item) {
    result.drops = learn_dropped_parts(**item, wrote, job);
  } else if (look) { // It is written, but with what?
    stored = with_parts_of(*stored, wrote.looked_for, *saved_);
    result.must_read_job = stale_ = true;
  }
  // What the annotations have.
  if (auto other = drops_ & different_parts(*saved_, *stored);
      other.any() && !wrote.annotated.any())
    stored = with_parts_of(*stored, other, *saved_);
  result.became_succeeded = wrote.writes_succeeded_condition();
  result.became_failed = wrote.writes_failed_condition();
  result.events = std::move(wrote.events);
  if (stored->recovery->attempt != wrote.status->recovery->attempt)
    queue_events_again(core::take_restart_events(result.events, *job.kind));
  // The other's status that was seen is newer: with an older one in between
  // the server would have answered with a conflict.
  result.foreign_status = wrote.foreign_status_seen;
  if (!wrote.foreign_status_seen)
    saved_ = std::move(stored);
  return result;
}

core::status_write_state status_writer::write_state() const {
  bool refused = does_attempt_wait();
  return {static_cast<bool>(writing_),
          refused ? annotations_refused_->times : failures_,
          refused ? *annotations_refused_->why : *last_failure_, refused};
}

nlohmann::json status_writer::report() const {
  return {{"saved", nlohmann::json::parse(core::encode_status(*saved_))},
          {"writeUnderWay", static_cast<bool>(writing_)},
          {"failuresInARow", write_state().failures_in_a_row},
          {"lastFailure", last_failure_->message}};
}

} // namespace troupe::actors
