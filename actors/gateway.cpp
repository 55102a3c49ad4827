#include "actors/gateway.hpp"

#include "actors/metrics.hpp"
#include "k8s/watch_reader.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace troupe::actors {

using outcome_ptr = std::shared_ptr<const k8s::result<std::string>>;

// -- call_queue ---------------------------------------------------------------

void call_queue::push(api_call c) {
  auto& mine = by_key_[c.key];
  if (mine.empty())
    turns_.push_back(c.key);
  mine.push_back(std::move(c));
  ++size_;
}

void call_queue::push_front(api_call c) {
  auto& mine = by_key_[c.key];
  if (mine.empty())
    turns_.push_front(c.key);
  mine.push_front(std::move(c));
  ++size_;
}

api_call call_queue::pop() {
  auto key = std::move(turns_.front());
  turns_.pop_front();
  auto i = by_key_.find(key);
  auto result = std::move(i->second.front());
  i->second.pop_front();
  if (i->second.empty())
    by_key_.erase(i);
  else
    turns_.push_back(std::move(key));
  --size_;
  return result;
}

// -- gateway ------------------------------------------------------------------

namespace {

/// A call that the server turned away unread is sent again by us this often
/// before its caller hears of it.
constexpr int most_tries = 8;

constexpr std::chrono::milliseconds overload_pause{1000};

/// With so many calls of work under way, and so long after that, what can wait
/// goes one by one at some distance: the server is busy with what somebody
/// waits for. A few calls now and then are no reason to wait.
constexpr std::size_t crowd = 8;
constexpr std::chrono::milliseconds calm_after{100};
constexpr std::chrono::milliseconds distance{50};

/// What may come soon waits for so much work at most.
constexpr int most_passed_over = 16;

} // namespace

void gateway_state::begin(std::shared_ptr<k8s::api> door,
                          std::shared_ptr<const tuning> sizes,
                          std::shared_ptr<metrics> counters) {
  door_ = std::move(door);
  sizes_ = std::move(sizes);
  counters_ = std::move(counters);
  window_ = sizes_->window_first;
  tokens_ = sizes_->calls_burst;
  tokens_at_ = self_->clock().now();
}

void gateway_state::take(const api_call& c) {
  if (stopping_) {
    answer(c, std::make_shared<const k8s::result<std::string>>(k8s::failure{
                  k8s::ec::cancelled, "the operator is stopping"}));
    return;
  }
  queue_of(c).push(c);
  pump();
}

void gateway_state::open(const open_stream& o) {
  caf::actor_addr who = o.who.address();
  auto tell = [who](auto news) {
    if (auto actor = caf::actor_cast<stream_reader_actor>(who))
      caf::anon_send(actor, std::move(news));
  };
  auto reader = std::make_shared<k8s::watch_reader>(o.keep);
  auto bytes = [=, turn = o.turn](std::string_view chunk) {
    auto events =
        std::make_shared<std::vector<k8s::watch_event>>(reader->feed(chunk));
    if (!events->empty())
      tell(events_arrived{turn, std::move(events)});
  };
  auto ended = [=, turn = o.turn](k8s::result<k8s::nothing> how) {
    tell(stream_ended{turn, std::make_shared<const k8s::result<k8s::nothing>>(
                                std::move(how))});
  };
  stream_ptr session = door_->watch(o.request, sizes_->watch_idle,
                                    {std::move(bytes), std::move(ended)});
  self_->send(o.who, stream_opened{o.turn, std::move(session)});
}

void gateway_state::pump() {
  auto room = [this] { return static_cast<int>(under_way_.size()) < window_; };
  while (!paused_ && !stopping_ && !(work_.empty() && soon_.empty()) && room()
         && rate_allows())
    send_out(next_work());
  while (!paused_ && !stopping_ && work_.empty() && !whenever_.empty() && room()
         && events_under_way_
                < static_cast<std::size_t>(sizes_->events_in_flight)
         && calm_enough() && rate_allows())
    send_out(whenever_.pop());
}

call_queue& gateway_state::queue_of(const api_call& c) {
  switch (c.when) {
  case urgency::work:
    return work_;
  case urgency::soon:
    return soon_;
  case urgency::whenever:
    break;
  }
  return whenever_;
}

api_call gateway_state::next_work() {
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
  auto id = next_id_++;
  ++c.tries;
  if (c.when == urgency::whenever)
    ++events_under_way_;
  else if (under_way_.size() - events_under_way_ >= crowd)
    last_crowd_ = self_->clock().now();
  auto request = c.request;
  under_way_.emplace(id, under_way{std::move(c), self_->clock().now()});
  // A thread of the api's own may only send us a message.
  caf::actor_addr me = self_->address();
  door_->send(std::move(request), sizes_->call_limit,
              [me, id](k8s::result<std::string> r) {
                if (auto who = caf::actor_cast<gateway_actor>(me))
                  caf::anon_send(
                      who,
                      call_finished{
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
  counters_->call_ended(done.call.request.what, done.call.request.resource,
                        outcome ? "ok" : k8s::to_string(outcome.error().code),
                        took.count());
  adapt(outcome);
  // Turned away unread: it had no effect, so it is ours to send again.
  if (!outcome && outcome.error().code == k8s::ec::overloaded
      && done.call.tries < most_tries && !stopping_) {
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
  self_->delayed_send(self_, delay, woke_up{++pause_turn_});
}

void gateway_state::woke(const woke_up& w) {
  if (w.turn == 0) {
    calm_timer_set_ = false;
    pump();
    return;
  }
  if (w.turn != pause_turn_)
    return;
  paused_ = false;
  pump();
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
                     {"waiting", work_.size() + soon_.size()},
                     {"waitingEvents", whenever_.size()},
                     {"underWay", under_way_.size()},
                     {"oldestSeconds", age.count()},
                     {"window", window_},
                     {"paused", paused_}};
  return std::make_shared<const nlohmann::json>(std::move(out));
}

gateway_actor::behavior_type
gateway(gateway_actor::stateful_pointer<gateway_state> self,
        std::shared_ptr<k8s::api> door, std::shared_ptr<const tuning> sizes,
        std::shared_ptr<metrics> counters) {
  self->state.begin(std::move(door), std::move(sizes), std::move(counters));
  return {
      [self](report_wanted) { return self->state.report(); },
      [self](tree_wanted) { return self->state.report(); },
      [self](const api_call& c) { self->state.take(c); },
      [self](const open_stream& o) { self->state.open(o); },
      [self](const call_finished& f) { self->state.finished(f); },
      [self](const woke_up& w) { self->state.woke(w); },
      [self](drain) { return self->state.stop(); },
  };
}

} // namespace troupe::actors
