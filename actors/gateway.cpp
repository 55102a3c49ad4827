#include "actors/gateway.hpp"

#include "actors/metrics.hpp"
#include "frameworks/core/retry.hpp"
#include "k8s/watch_reader.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace troupe::actors {

using outcome_ptr = std::shared_ptr<const k8s::result<std::string>>;

namespace {

/// A call that the server turned away unread is sent again by us this often
/// before its caller hears of it.
constexpr int overload_tries = 8;

constexpr std::chrono::milliseconds overload_pause{1000};

/// With so many calls of work under way, and so long after that, what can wait
/// goes one by one at some distance: the server is busy with what somebody
/// waits for. A few calls now and then are no reason to wait.
constexpr std::size_t crowd = 8;
constexpr std::chrono::milliseconds calm_after{100};
constexpr std::chrono::milliseconds distance{50};

/// One refused connection calls for a look at the server; errors that it
/// answers may be about one resource only.
constexpr int most_server_errors = 3;

/// While the server answers but is not ready, something is tried so often.
constexpr std::chrono::milliseconds trial_pause{10'000};

/// What may come soon waits for so much work at most.
constexpr int most_passed_over = 16;

} // namespace

void gateway_state::begin(gateway_task task) {
  client_ = std::move(task.client);
  sizes_ = std::move(task.sizes);
  counters_ = std::move(task.counters);
  jitter_ = std::move(task.jitter);
  probe_ = std::move(task.probe);
  window_ = sizes_->window_first;
  tokens_ = sizes_->calls_burst;
  tokens_at_ = self_->clock().now();
}

void gateway_state::take(api_call& c) {
  if (stopping_) {
    answer(c, std::make_shared<const k8s::result<std::string>>(k8s::failure{
                  k8s::ec::cancelled, "the operator is stopping"}));
    return;
  }
  queue_of(c).push(std::move(c));
  pump();
}

void gateway_state::open(const open_stream& o) {
  if (away_)
    streams_.push_back(o);
  else
    start(o);
}

void gateway_state::start(const open_stream& o) {
  caf::actor_addr me = self_->address();
  caf::actor_addr who = o.who.address();
  auto tell = [who](auto news) {
    if (auto actor = caf::actor_cast<stream_reader_actor>(who))
      caf::anon_send(actor, std::move(news));
  };
  auto reader = std::make_shared<k8s::watch_reader>(o.detail);
  auto bytes = [=, turn = o.turn](std::string_view chunk) {
    auto events =
        std::make_shared<std::vector<k8s::watch_event>>(reader->feed(chunk));
    if (!events->empty())
      tell(events_arrived{turn, std::move(events)});
  };
  using how_ptr = std::shared_ptr<const k8s::result<k8s::nothing>>;
  auto tell_me = [me](how_ptr how) {
    if (auto gate = caf::actor_cast<gateway_actor>(me))
      caf::anon_send(gate, stream_outcome{std::move(how)});
  };
  auto ended = [=, turn = o.turn](k8s::result<k8s::nothing> result) {
    auto how =
        std::make_shared<const k8s::result<k8s::nothing>>(std::move(result));
    tell_me(how);
    tell(stream_ended{turn, std::move(how)});
  };
  auto opened = [=, turn = o.turn] {
    static const auto well =
        std::make_shared<const k8s::result<k8s::nothing>>(k8s::nothing{});
    tell_me(well);
    tell(stream_accepted{turn});
  };
  stream_ptr session =
      client_->watch(o.request, sizes_->watch_idle,
                     {std::move(bytes), std::move(ended), std::move(opened)});
  self_->send(o.who, stream_opened{o.turn, std::move(session)});
}

void gateway_state::pump() {
  auto room = [this] { return static_cast<int>(under_way_.size()) < window_; };
  if (away_)
    return;
  while (!paused_ && !stopping_ && has_work() && room() && rate_allows())
    send_out(next_work());
  while (!paused_ && !stopping_ && work_.empty() && !whenever_.empty() && room()
         && events_under_way_
                < static_cast<std::size_t>(sizes_->events_in_flight)
         && calm_enough() && rate_allows())
    send_out(whenever_.pop());
}

call_queue& gateway_state::queue_of(const api_call& c) {
  switch (c.when) {
  case urgency::first:
    return first_;
  case urgency::work:
    return work_;
  case urgency::soon:
    return soon_;
  case urgency::whenever:
    break;
  }
  return whenever_;
}

bool gateway_state::has_work() const {
  return !(first_.empty() && work_.empty() && soon_.empty());
}

api_call gateway_state::next_work() {
  if (!first_.empty())
    return first_.pop();
  bool others_turn = work_.empty() || ++passed_over_ >= most_passed_over;
  if (soon_.empty() || !others_turn)
    return work_.pop();
  passed_over_ = 0;
  return soon_.pop();
}

bool gateway_state::calm_enough() {
  auto now = self_->clock().now();
  if (under_way_.size() - events_under_way_ >= crowd)
    last_crowd_ = now;
  if (now - last_crowd_ >= calm_after || now - last_event_ >= distance) {
    last_event_ = now;
    return true;
  }
  if (!std::exchange(calm_timer_set_, true))
    self_->delayed_send(self_, distance, woke_up{0});
  return false;
}

void gateway_state::send_out(api_call c) {
  auto request = c.make ? c.make() : k8s::result<k8s::request>{c.request};
  if (!request) {
    answer(c,
           std::make_shared<const k8s::result<std::string>>(request.error()));
    return;
  }
  auto id = next_id_++;
  ++c.tries;
  if (c.when == urgency::whenever)
    ++events_under_way_;
  else if (under_way_.size() - events_under_way_ >= crowd)
    last_crowd_ = self_->clock().now();
  under_way_.emplace(id, under_way{std::move(c), request->method,
                                   request->resource, self_->clock().now()});
  // A thread of the api's own may only send us a message.
  caf::actor_addr me = self_->address();
  client_->send(
      std::move(*request), sizes_->call_limit,
      [me, id](k8s::result<std::string> r) {
        if (auto who = caf::actor_cast<gateway_actor>(me))
          caf::anon_send(
              who, call_finished{
                       id, std::make_shared<const k8s::result<std::string>>(
                               std::move(r))});
      });
}

void gateway_state::finished(const call_finished& f) {
  auto i = under_way_.find(f.id);
  if (i == under_way_.end())
    return;
  auto done = std::move(i->second);
  under_way_.erase(i);
  if (done.call.when == urgency::whenever)
    --events_under_way_;
  const auto& outcome = *f.outcome;
  std::chrono::duration<double> took = self_->clock().now() - done.since;
  counters_->call_ended(done.what, done.resource,
                        outcome ? "ok" : k8s::to_string(outcome.error().code),
                        took.count());
  adapt(outcome);
  note_outcome(outcome ? nullptr : &outcome.error());
  // Turned away unread: it had no effect, so it is ours to send again.
  if (!outcome && outcome.error().code == k8s::ec::overloaded
      && done.call.tries < overload_tries && !stopping_) {
    auto& queue = queue_of(done.call);
    queue.push_front(std::move(done.call));
  } else {
    answer(done.call, f.outcome);
  }
  if (stopping_ && under_way_.empty()) {
    for (auto& promise : waiting_for_drain_)
      promise.deliver(drained{});
    waiting_for_drain_.clear();
  }
  pump();
}

void gateway_state::adapt(const k8s::result<std::string>& outcome) {
  if (outcome || !outcome.error().is_retryable()) {
    if (++successes_ >= window_ && window_ < sizes_->window_most) {
      window_ = std::min(window_ * 2, sizes_->window_most);
      successes_ = 0;
    }
    return;
  }
  successes_ = 0;
  window_ = std::max(1, window_ / 2);
  if (outcome.error().code == k8s::ec::overloaded && !paused_) {
    paused_ = true;
    wake_in(outcome.error().retry_after.value_or(overload_pause));
  }
}

bool gateway_state::rate_allows() {
  if (sizes_->calls_per_second <= 0)
    return true;
  auto now = self_->clock().now();
  std::chrono::duration<double> passed = now - tokens_at_;
  tokens_at_ = now;
  tokens_ =
      std::min<double>(std::max(1, sizes_->calls_burst),
                       tokens_ + passed.count() * sizes_->calls_per_second);
  if (tokens_ >= 1) {
    tokens_ -= 1;
    return true;
  }
  paused_ = true;
  auto wait =
      std::chrono::duration<double>((1 - tokens_) / sizes_->calls_per_second);
  wake_in(std::chrono::duration_cast<std::chrono::milliseconds>(wait)
          + std::chrono::milliseconds{1});
  return false;
}

void gateway_state::wake_in(std::chrono::milliseconds delay) {
  pause_turn_ = ++last_turn_;
  self_->delayed_send(self_, delay, woke_up{pause_turn_});
}

void gateway_state::woke(const woke_up& w) {
  if (w.turn == 0) {
    calm_timer_set_ = false;
    pump();
    return;
  }
  if (w.turn == trial_turn_) {
    if (away_)
      try_one();
    return;
  }
  if (w.turn != pause_turn_)
    return;
  paused_ = false;
  pump();
}

// -- a server that is away ----------------------------------------------------

void gateway_state::stream_finished(const stream_outcome& n) {
  note_outcome(*n.outcome ? nullptr : &n.outcome->error());
}

void gateway_state::note_outcome(const k8s::failure* why) {
  if (why && why->code == k8s::ec::cancelled)
    return; // Our own doing.
  auto me = caf::actor_cast<server_listener_actor>(self_);
  if (!why || !core::may_be_outage(why->code)) {
    failures_ = 0;
    if (away_) {
      self_->send(probe_, server_has_served{me});
      server_back();
    }
    return;
  }
  ++failures_;
  bool enough =
      why->code == k8s::ec::unreachable || failures_ >= most_server_errors;
  if (enough && !std::exchange(suspected_, true))
    self_->send(probe_, server_suspected{me});
}

void gateway_state::server_away(const server_is_away& s) {
  if (!suspected_)
    return; // It has served us meanwhile.
  away_ = true;
  if (!s.answers)
    trial_turn_ = 0;
  else if (trial_turn_ == 0)
    try_later();
}

void gateway_state::server_back() {
  suspected_ = false;
  failures_ = 0;
  trial_turn_ = 0;
  if (!std::exchange(away_, false))
    return;
  // Failures while it was away tell nothing of what it can bear.
  window_ = std::max(window_, sizes_->window_first);
  for (const auto& stream : std::exchange(streams_, {}))
    start(stream);
  pump();
}

void gateway_state::try_later() {
  trial_turn_ = ++last_turn_;
  self_->delayed_send(self_, core::spread(trial_pause, jitter_()),
                      woke_up{trial_turn_});
}

void gateway_state::try_one() {
  if (!streams_.empty()) {
    auto stream = std::move(streams_.front());
    streams_.pop_front();
    start(stream);
  } else if (has_work() && !stopping_) {
    send_out(next_work());
  } else if (!whenever_.empty() && !stopping_) {
    send_out(whenever_.pop());
  }
  try_later();
}

void gateway_state::answer(const api_call& c, outcome_ptr outcome) {
  self_->send(c.who, api_answer{c.tag, std::move(outcome)});
}

caf::result<drained> gateway_state::stop() {
  stopping_ = true;
  auto promise = self_->make_response_promise<drained>();
  if (under_way_.empty())
    promise.deliver(drained{});
  else
    waiting_for_drain_.push_back(promise);
  return promise;
}

report_ptr gateway_state::report() const {
  auto now = self_->clock().now();
  auto oldest = now;
  for (const auto& [id, call] : under_way_)
    oldest = std::min(oldest, call.since);
  std::chrono::duration<double> age = now - oldest;
  nlohmann::json out{{"actor", name},
                     {"waiting", first_.size() + work_.size() + soon_.size()},
                     {"waitingEvents", whenever_.size()},
                     {"waitingStreams", streams_.size()},
                     {"serverAway", away_},
                     {"underWay", under_way_.size()},
                     {"oldestSeconds", age.count()},
                     {"window", window_},
                     {"paused", paused_}};
  return std::make_shared<const nlohmann::json>(std::move(out));
}

gateway_actor::behavior_type
gateway(gateway_actor::stateful_pointer<gateway_state> self,
        gateway_task task) {
  self->state.begin(std::move(task));
  return {
      [self](report_wanted) { return self->state.report(); },
      [self](tree_wanted) { return self->state.report(); },
      [self](api_call& c) { self->state.take(c); },
      [self](const open_stream& o) { self->state.open(o); },
      [self](const server_is_away& s) { self->state.server_away(s); },
      [self](const server_is_back&) { self->state.server_back(); },
      [self](const call_finished& f) { self->state.finished(f); },
      [self](const stream_outcome& n) { self->state.stream_finished(n); },
      [self](const woke_up& w) { self->state.woke(w); },
      [self](drain) { return self->state.stop(); },
  };
}

} // namespace troupe::actors
