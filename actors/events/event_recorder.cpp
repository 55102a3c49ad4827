#include "actors/events/event_recorder.hpp"

#include "actors/metrics/metrics.hpp"
#include "k8s/calls.hpp"
#include "k8s/json.hpp"

#include <nlohmann/json.hpp>

namespace troupe::actors {

namespace {

/// Between writes of a repeated event.
constexpr std::chrono::seconds repetition_delay{1};

constexpr std::chrono::minutes clean_up_interval{1};

// The recorder's timers.
constexpr std::uint64_t repetition_timer = 0;
constexpr std::uint64_t clean_up_timer = 1;

nlohmann::json make_reference(const job_reference& about) {
  bool of_pod = !about.pod.empty();
  const auto& type = of_pod ? k8s::resources::pods : about.kind->names.type;
  return {{"apiVersion", type.api_version()},
          {"kind", type.kind},
          {"name", of_pod ? about.pod : about.name},
          {"namespace", about.ns},
          {"uid", of_pod ? about.pod_uid : about.uid}};
}

k8s::request make_event_write_request(const event_write& w) {
  const auto& job = *w.about;
  nlohmann::json body;
  body["count"] = w.count;
  body["lastTimestamp"] = k8s::to_rfc3339(w.last);
  body["message"] = w.event.message;
  if (!w.create)
    return k8s::merge_patch({k8s::resources::events, job.ns, w.name},
                            k8s::to_text(body));
  body["apiVersion"] = "v1";
  body["kind"] = "Event";
  auto& meta = body["metadata"];
  meta["name"] = w.name;
  meta["namespace"] = job.ns;
  body["involvedObject"] = make_reference(job);
  body["firstTimestamp"] = k8s::to_rfc3339(w.first);
  body["reason"] = w.event.reason;
  body["type"] = w.event.warning ? "Warning" : "Normal";
  body["source"]["component"] = job.kind->effective_event_source();
  body["reportingComponent"] = job.kind->effective_event_source();
  body["reportingInstance"] = "";
  return k8s::create(k8s::resources::events, job.ns, k8s::to_text(body));
}

} // namespace

void event_recorder_state::on_record_event(const record_event& e) {
  auto dropped = correlator_.dropped_count();
  auto [series, when] =
      correlator_.record_occurrence(e.about, e.event, context_->clock());
  if (correlator_.dropped_count() > dropped)
    context_->counters->count_dropped_event();
  schedule_series_write(series, when);
  send_waiting_events();
  schedule_clean_up_if_needed();
}

void event_recorder_state::schedule_series_write(std::uint64_t series,
                                                 write_time when) {
  switch (when) {
  case write_time::never:
    return;
  case write_time::now:
    waiting_.push_back(series);
    return;
  case write_time::later:
    held_.push_back(series);
    if (!std::exchange(timer_set_, true))
      self_->delayed_send(self_, repetition_delay,
                          timer_fired{repetition_timer});
  }
}

void event_recorder_state::schedule_clean_up_if_needed() {
  if (!correlator_.empty() && !std::exchange(clean_up_set_, true))
    self_->delayed_send(self_, clean_up_interval, timer_fired{clean_up_timer});
}

void event_recorder_state::on_timer(const timer_fired& fired) {
  if (fired.timer == clean_up_timer) {
    clean_up_set_ = false;
    correlator_.forget_expired_series(context_->clock());
    schedule_clean_up_if_needed();
    return;
  }
  timer_set_ = false;
  waiting_.insert(waiting_.end(), held_.begin(), held_.end());
  held_.clear();
  send_waiting_events();
}

void event_recorder_state::send_waiting_events() {
  auto limit = static_cast<std::size_t>(context_->options->events_in_flight);
  while (!waiting_.empty() && under_way_.size() < limit) {
    auto series = waiting_.front();
    waiting_.pop_front();
    auto write = correlator_.take_pending_write(series);
    if (!write)
      continue;
    const auto& job = write->about->uid;
    auto tag = next_tag_++;
    under_way_.emplace(tag, series);
    self_->send(
        context_->gateway_for(job),
        api_call{tag,
                 k8s::with_accept_header(k8s::object_detail::metadata,
                                         make_event_write_request(*write)),
                 job, call_priority::event,
                 caf::actor_cast<api_caller_actor>(self_)});
  }
}

void event_recorder_state::on_api_response(const api_response& a) {
  auto i = under_way_.find(a.tag);
  if (i == under_way_.end())
    return;
  auto series = i->second;
  under_way_.erase(i);
  const auto* why = *a.outcome ? nullptr : &a.outcome->error();
  auto dropped = correlator_.dropped_count();
  schedule_series_write(series, correlator_.record_write_result(series, why));
  if (!why)
    context_->counters->count_written_event();
  else if (correlator_.dropped_count() > dropped)
    context_->counters->count_dropped_event();
  send_waiting_events();
}

report_ptr event_recorder_state::report() const {
  auto out = own_report(*self_, {{"waiting", waiting_.size()},
                                 {"held", held_.size()},
                                 {"underWay", under_way_.size()},
                                 {"remembered", correlator_.size()},
                                 {"dropped", correlator_.dropped_count()}});
  return std::make_shared<const nlohmann::json>(std::move(out));
}

event_recorder_actor::behavior_type
event_recorder(self_pointer<event_recorder_actor, event_recorder_state> self,
               context_ptr context) {
  self->state.init(std::move(context));
  return {
      [self](get_report) { return self->state.report(); },
      [self](get_tree) { return self->state.report(); },
      [self](const record_event& e) { self->state.on_record_event(e); },
      [self](const api_response& a) { self->state.on_api_response(a); },
      [self](const timer_fired& fired) { self->state.on_timer(fired); },
  };
}

} // namespace troupe::actors
