#include "actors/api/gateway.hpp"

#include "actors/base/heap.hpp"
#include "actors/metrics/metrics.hpp"
#include "frameworks/core/base/retry.hpp"
#include "k8s/watch/watch_reader.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace troupe::actors {

using outcome_ptr = std::shared_ptr<const k8s::result<std::string>>;

namespace {

/// Interval of trials while the server responds but is not ready.
constexpr std::chrono::milliseconds trial_pause{10'000};

/// Fewer leave behind too little to look for.
constexpr int least_calls_of_burst = 500;

/// The API server closes connections to webhooks that it has not used for 90 s.
constexpr std::chrono::seconds connections_of_burst_are_closed_after{120};

k8s::failure stopping_failure() {
  return {k8s::ec::cancelled, "the operator is stopping"};
}

} // namespace

void gateway_state::init(gateway_config config) {
  client_ = std::move(config.client);
  options_ = std::move(config.options);
  counters_ = std::move(config.counters);
  jitter_ = std::move(config.jitter);
  probe_ = std::move(config.probe);
  gate_ = std::move(config.gate);
  flow_ = flow_control{*options_, now()};
}

void gateway_state::on_api_call(api_call& c) {
  if (stopping_) {
    refuse_as_stopping(c);
    return;
  }
  c.queued_at = now();
  flow_.add(std::move(c));
  send_queued_calls();
}

void gateway_state::on_open_stream(const open_stream& o) {
  if (stopping_)
    refuse_as_stopping(o);
  else if (outage_.holds_calls())
    streams_.push_back(o);
  else
    start_watch_stream(o);
}

void gateway_state::start_watch_stream(const open_stream& o) {
  caf::actor_addr me = self_->address();
  caf::actor_addr who = o.reader.address();
  auto send_to_reader = [who](auto message) {
    if (auto actor = caf::actor_cast<stream_reader_actor>(who))
      caf::anon_send(actor, std::move(message));
  };
  auto reader = std::make_shared<k8s::watch_reader>(o.detail);
  auto bytes = [=, stream = o.stream](std::string_view chunk) {
    auto events =
        std::make_shared<std::vector<k8s::watch_event>>(reader->feed(chunk));
    if (!events->empty())
      send_to_reader(events_arrived{stream, std::move(events)});
  };
  using how_ptr = std::shared_ptr<const k8s::result<k8s::nothing>>;
  auto send_to_self = [me](how_ptr how) {
    if (auto self = caf::actor_cast<gateway_actor>(me))
      caf::anon_send(self, stream_health_observed{std::move(how)});
  };
  auto ended = [=, stream = o.stream](k8s::result<k8s::nothing> result) {
    auto how =
        std::make_shared<const k8s::result<k8s::nothing>>(std::move(result));
    send_to_self(how);
    send_to_reader(stream_ended{stream, std::move(how)});
  };
  auto opened = [=, stream = o.stream] {
    static const auto well =
        std::make_shared<const k8s::result<k8s::nothing>>(k8s::nothing{});
    send_to_self(well);
    send_to_reader(stream_accepted{stream});
  };
  stream_ptr session =
      client_->watch(o.request, options_->watch_idle,
                     {std::move(bytes), std::move(ended), std::move(opened)});
  self_->send(o.reader, stream_opened{o.stream, std::move(session)});
}

flow_control::allowed gateway_state::allowed_calls() const {
  return gate_ && !gate_->is_open() ? flow_control::allowed::always_only
                                    : flow_control::allowed::any_call;
}

void gateway_state::on_actor_options_changed(const actor_options_changed& c) {
  options_ = c.options;
  flow_.apply_actor_options(*options_, now());
  send_queued_calls();
}

void gateway_state::send_queued_calls() {
  while (!outage_.holds_calls() && bytes_under_way_ < most_bytes_under_way) {
    auto next = flow_.take_next_call(now(), allowed_calls());
    if (!next.call) {
      if (next.ask_again)
        set_send_timer_unless_earlier(*next.ask_again);
      return;
    }
    build_and_send_call(std::move(*next.call));
  }
}

void gateway_state::set_send_timer_unless_earlier(time_point when) {
  if (send_timer_at_ && *send_timer_at_ <= when)
    return;
  send_timer_at_ = when;
  send_timer_ = ++last_timer_;
  self_->delayed_send(self_, when - now(), timer_fired{send_timer_});
}

void gateway_state::build_and_send_call(api_call c) {
  auto request =
      c.make_request ? c.make_request() : k8s::result<k8s::request>{*c.request};
  if (!request) {
    reply_to_caller(
        c, std::make_shared<const k8s::result<std::string>>(request.error()));
    return;
  }
  auto id = next_id_++;
  std::chrono::duration<double> waited = now() - c.queued_at;
  counters_->observe_call_wait(c.priority, waited.count());
  flow_.record_call_start(c, now());
  auto bytes = request->body.size();
  bytes_under_way_ += bytes;
  under_way_.emplace(id, under_way{std::move(c), request->method,
                                   request->resource, now(), bytes});
  // The callback runs on the API client's thread: it only sends a message.
  caf::actor_addr me = self_->address();
  client_->send(
      std::move(*request), options_->call_limit,
      [me, id](k8s::result<std::string> r) {
        if (auto who = caf::actor_cast<gateway_actor>(me))
          caf::anon_send(
              who, call_finished{
                       id, std::make_shared<const k8s::result<std::string>>(
                               std::move(r))});
      });
}

void gateway_state::on_call_finished(const call_finished& f) {
  auto i = under_way_.find(f.id);
  if (i == under_way_.end())
    return;
  auto done = std::move(i->second);
  under_way_.erase(i);
  bytes_under_way_ -= done.body_bytes;
  const auto& outcome = *f.outcome;
  const auto* why = outcome ? nullptr : &outcome.error();
  std::chrono::duration<double> took = now() - done.since;
  counters_->observe_api_call(done.method, done.resource,
                              why ? k8s::to_string(why->code) : "ok",
                              took.count());
  flow_.record_call_end_and_adapt_window(done.call, why, now());
  execute_outage_step(outage_.on_result(why));
  if (why && !stopping_ && flow_control::should_resend(done.call, *why)) {
    done.call.queued_at = now();
    flow_.add_in_front(std::move(done.call));
  } else {
    reply_to_caller(done.call, f.outcome);
  }
  if (stopping_ && under_way_.empty()) {
    for (auto& promise : waiting_for_drain_)
      promise.deliver(drained{});
    waiting_for_drain_.clear();
  }
  send_queued_calls();
  give_memory_back_after_burst();
}

void gateway_state::give_memory_back_after_burst() {
  ++calls_since_trim_;
  if (!under_way_.empty() || calls_since_trim_ < least_calls_of_burst)
    return;
  calls_since_trim_ = 0;
  // Of the bodies and answers of many calls at once some pages lie between what
  // is kept; glibc gives back only those at the end.
  return_free_memory();
  if (trim_timer_)
    return;
  trim_timer_ = ++last_timer_;
  self_->delayed_send(self_, connections_of_burst_are_closed_after,
                      timer_fired{*trim_timer_});
}

void gateway_state::on_timer(const timer_fired& fired) {
  if (fired.timer == send_timer_) {
    send_timer_at_.reset();
    send_queued_calls();
  } else if (fired.timer == trim_timer_) {
    trim_timer_.reset();
    return_free_memory();
  } else if (fired.timer == trial_timer_ && outage_.sends_trials()) {
    send_one_queued_as_trial();
  }
}

// -- a server that is unavailable ---------------------------------------------

void gateway_state::on_stream_health_observed(const stream_health_observed& n) {
  execute_outage_step(
      outage_.on_result(*n.outcome ? nullptr : &n.outcome->error()));
}

void gateway_state::on_server_unavailable(const server_unavailable& s) {
  execute_outage_step(outage_.on_unavailable(s.answers));
}

void gateway_state::on_server_available() {
  execute_outage_step(outage_.on_available());
}

void gateway_state::execute_outage_step(const outage_detector::step& next) {
  auto me = caf::actor_cast<server_listener_actor>(self_);
  if (next.ask_probe)
    self_->send(probe_, watch_server_health{me});
  if (next.dismiss_probe)
    self_->send(probe_, unwatch_server_health{me});
  if (next.begin_trials)
    schedule_trial();
  if (next.outage_is_over)
    flow_.raise_window_after_outage();
  if (!next.send_waiting)
    return;
  for (const auto& stream : std::exchange(streams_, {}))
    start_watch_stream(stream);
  send_queued_calls();
}

void gateway_state::schedule_trial() {
  trial_timer_ = ++last_timer_;
  self_->delayed_send(self_, core::subtract_jitter(trial_pause, jitter_()),
                      timer_fired{trial_timer_});
}

void gateway_state::send_one_queued_as_trial() {
  if (!streams_.empty()) {
    auto stream = std::move(streams_.front());
    streams_.pop_front();
    start_watch_stream(stream);
  } else if (auto call = flow_.pop_ignoring_limits(allowed_calls())) {
    build_and_send_call(std::move(*call));
  }
  schedule_trial();
}

void gateway_state::reply_to_caller(const api_call& c, outcome_ptr outcome) {
  self_->send(c.caller, api_response{c.tag, std::move(outcome)});
}

void gateway_state::refuse_as_stopping(const api_call& c) {
  reply_to_caller(
      c, std::make_shared<const k8s::result<std::string>>(stopping_failure()));
}

void gateway_state::refuse_as_stopping(const open_stream& o) {
  self_->send(
      o.reader,
      stream_ended{o.stream, std::make_shared<const k8s::result<k8s::nothing>>(
                                 stopping_failure())});
}

caf::result<drained> gateway_state::on_drain() {
  stopping_ = true;
  while (auto call = flow_.pop_ignoring_limits())
    refuse_as_stopping(*call);
  for (const auto& stream : std::exchange(streams_, {}))
    refuse_as_stopping(stream);
  auto promise = self_->make_response_promise<drained>();
  if (under_way_.empty())
    promise.deliver(drained{});
  else
    waiting_for_drain_.push_back(promise);
  return promise;
}

report_ptr gateway_state::report() const {
  auto at = now();
  auto oldest = at;
  for (const auto& [id, call] : under_way_)
    oldest = std::min(oldest, call.since);
  std::chrono::duration<double> age = at - oldest;
  auto out = own_report(
      *self_, {{"waiting", flow_.waiting()},
               {"heldForNamespace", flow_.held()},
               {"waitingEvents", flow_.waiting_events()},
               {"waitingStreams", streams_.size()},
               {"serverAway", outage_.is_away()},
               {"writing", allowed_calls() == flow_control::allowed::any_call},
               {"underWay", under_way_.size()},
               {"bytesUnderWay", bytes_under_way_},
               {"oldestSeconds", age.count()},
               {"window", flow_.window()},
               {"paused", flow_.is_paused(at)}});
  return std::make_shared<const nlohmann::json>(std::move(out));
}

gateway_actor::behavior_type
gateway(self_pointer<gateway_actor, gateway_state> self,
        gateway_config config) {
  self->state.init(std::move(config));
  return {
      [self](get_report) { return self->state.report(); },
      [self](get_tree) { return self->state.report(); },
      [self](api_call& c) { self->state.on_api_call(c); },
      [self](const open_stream& o) { self->state.on_open_stream(o); },
      [self](const server_unavailable& s) {
        self->state.on_server_unavailable(s);
      },
      [self](const server_available&) { self->state.on_server_available(); },
      [self](const actor_options_changed& c) {
        self->state.on_actor_options_changed(c);
      },
      [self](const leadership_resumed&) {
        self->state.on_leadership_resumed();
      },
      [self](const call_finished& f) { self->state.on_call_finished(f); },
      [self](const stream_health_observed& n) {
        self->state.on_stream_health_observed(n);
      },
      [self](const timer_fired& fired) { self->state.on_timer(fired); },
      [self](drain) { return self->state.on_drain(); },
  };
}

} // namespace troupe::actors
