#include "actors/api/flow_control.hpp"

#include "frameworks/core/base/retry.hpp"

#include <algorithm>

namespace troupe::actors {

namespace {

/// How often a call that the server rejected unread is resent before its caller
/// gets the failure.
constexpr int overload_attempts = 8;

constexpr std::chrono::milliseconds overload_pause{1000};

/// With so many other calls in flight, and so long after that, calls of
/// priority `event` are sent one at a time, with an interval between them, and
/// those of `low` only in their share: the server is busy with calls that jobs
/// wait for. A few calls are no reason to delay them.
constexpr int crowd = 8;
constexpr std::chrono::milliseconds calm_after{100};
constexpr std::chrono::milliseconds distance{50};

/// After so long the tokens are counted again.
constexpr std::chrono::hours longest_rate_pause{1};

/// A call of priority `low` waits for at most so many calls of `normal`.
constexpr int most_passed_over = 128;

} // namespace

flow_control::flow_control(const actor_options& options, time_point now)
    : window_first_(options.window_first)
    , window_most_(options.window_most)
    , calls_per_second_(options.calls_per_second)
    , calls_burst_(options.calls_burst)
    , max_events_(options.events_in_flight)
    , namespace_window_(options.namespace_window)
    , window_(options.window_first)
    , tokens_(options.calls_burst)
    , tokens_at_(now) {}

void flow_control::apply_actor_options(const actor_options& options,
                                       time_point now) {
  window_first_ = options.window_first;
  window_most_ = options.window_most;
  window_ = std::max(window_first_, std::min(window_, window_most_));
  calls_per_second_ = options.calls_per_second;
  calls_burst_ = options.calls_burst;
  tokens_ = options.calls_burst;
  tokens_at_ = now;
  no_token_until_ = {};
  namespace_window_ = options.namespace_window;
  for (auto& [ns, calls] : std::exchange(held_, {}))
    while (!calls.empty())
      add(calls.pop_call_of_next_key());
}

// -- queued calls -------------------------------------------------------------

void flow_control::add(api_call c) {
  auto& queue = queue_of_priority(c);
  queue.push(std::move(c));
}

void flow_control::add_in_front(api_call c) {
  auto& queue = queue_of_priority(c);
  queue.push_front(std::move(c));
}

call_queue& flow_control::queue_of_priority(const api_call& c) {
  switch (c.priority) {
  case call_priority::always:
    return always_;
  case call_priority::normal:
    return normal_;
  case call_priority::low:
    return low_;
  case call_priority::event:
    break;
  }
  return events_;
}

std::size_t flow_control::held() const {
  std::size_t result = 0;
  for (const auto& [ns, calls] : held_)
    result += calls.size();
  return result;
}

std::size_t flow_control::queued_except_events() const {
  return always_.size() + normal_.size() + low_.size();
}

// -- what may be sent ---------------------------------------------------------

flow_control::next_call flow_control::take_next_call(time_point now,
                                                     allowed which) {
  if (queued_except_events() + waiting_events() == 0
      || (which == allowed::always_only && always_.empty()))
    return {};
  if (is_paused(now))
    return {{}, std::max(paused_until_, no_token_until_)};
  if (!has_window_room())
    return {};
  if (has_sendable_call(now)) {
    if (!try_take_rate_token(now))
      return {{}, no_token_until_};
    if (auto c = pop_or_hold_by_namespace_limit(now))
      return {std::move(c), {}};
    return_rate_token();
  }
  if (!low_.empty())
    return {{}, last_normal_ + calm_after};
  if (events_.empty() || events_under_way_ >= max_events_)
    return {};
  if (now < events_paused_until_)
    return {{}, events_paused_until_};
  if (!try_take_event_slot(now))
    return {{}, now + distance};
  if (!try_take_rate_token(now))
    return {{}, no_token_until_};
  return {events_.pop_call_of_next_key(), {}};
}

std::optional<api_call> flow_control::pop_ignoring_limits(allowed which) {
  if (which == allowed::always_only && always_.empty())
    return std::nullopt;
  if (queued_except_events() == 0 && !held_.empty())
    requeue_one_held_call(std::string{held_.begin()->first});
  if (queued_except_events() > 0)
    return pop_next_non_event_call();
  if (!events_.empty())
    return events_.pop_call_of_next_key();
  return std::nullopt;
}

bool flow_control::is_low_priority_turn(time_point now) const {
  return !low_.empty()
         && (passed_over_ >= most_passed_over || normal_under_way_ < crowd
             || now - last_normal_ >= calm_after);
}

bool flow_control::has_sendable_call(time_point now) const {
  return always_.size() + normal_.size() > 0 || is_low_priority_turn(now);
}

bool flow_control::has_window_room() const {
  return work_under_way_ + events_under_way_ < window_;
}

api_call flow_control::pop_next_non_event_call() {
  if (!always_.empty())
    return always_.pop_call_of_next_key();
  bool others_turn = normal_.empty() || ++passed_over_ >= most_passed_over;
  if (low_.empty() || !others_turn)
    return normal_.pop_call_of_next_key();
  passed_over_ = 0;
  return low_.pop_call_of_next_key();
}

bool flow_control::has_namespace_limit(const api_call& c) const {
  return namespace_window_ > 0 && !c.ns.empty()
         && c.priority != call_priority::event;
}

std::optional<api_call>
flow_control::pop_or_hold_by_namespace_limit(time_point now) {
  while (has_sendable_call(now)) {
    auto c = pop_next_non_event_call();
    if (!has_namespace_limit(c))
      return c;
    auto i = under_way_by_namespace_.find(c.ns);
    if (i == under_way_by_namespace_.end() || i->second < namespace_window_)
      return c;
    auto& others = held_[c.ns];
    others.push(std::move(c));
  }
  return std::nullopt;
}

void flow_control::requeue_one_held_call(const std::string& ns) {
  auto i = held_.find(ns);
  if (i == held_.end())
    return;
  add_in_front(i->second.pop_call_of_next_key());
  if (i->second.empty())
    held_.erase(i);
}

bool flow_control::try_take_event_slot(time_point now) {
  if (work_under_way_ >= crowd)
    last_crowd_ = now;
  if (now - last_crowd_ < calm_after && now - last_event_ < distance)
    return false;
  last_event_ = now;
  return true;
}

bool flow_control::try_take_rate_token(time_point now) {
  if (calls_per_second_ <= 0)
    return true;
  std::chrono::duration<double> passed = now - tokens_at_;
  tokens_at_ = now;
  tokens_ = std::min<double>(std::max(1, calls_burst_),
                             tokens_ + passed.count() * calls_per_second_);
  if (tokens_ >= 1) {
    tokens_ -= 1;
    return true;
  }
  std::chrono::duration<double> wait{(1 - tokens_) / calls_per_second_};
  // At a rate of next to nothing the time could not be represented.
  wait = std::min<std::chrono::duration<double>>(wait, longest_rate_pause);
  no_token_until_ =
      now + std::chrono::duration_cast<std::chrono::milliseconds>(wait)
      + std::chrono::milliseconds{1};
  return false;
}

void flow_control::return_rate_token() {
  if (calls_per_second_ > 0)
    tokens_ += 1;
}

// -- results ------------------------------------------------------------------

void flow_control::record_call_start(api_call& c, time_point now) {
  ++c.attempts;
  if (c.priority == call_priority::event) {
    ++events_under_way_;
    return;
  }
  if (work_under_way_ >= crowd)
    last_crowd_ = now;
  ++work_under_way_;
  if (c.priority == call_priority::normal) {
    ++normal_under_way_;
    last_normal_ = now;
  }
  if (!c.ns.empty())
    ++under_way_by_namespace_[c.ns];
}

void flow_control::record_call_end_and_adapt_window(const api_call& c,
                                                    const k8s::failure* why,
                                                    time_point now) {
  --(c.priority == call_priority::event ? events_under_way_ : work_under_way_);
  if (c.priority == call_priority::normal)
    --normal_under_way_;
  if (!c.ns.empty() && c.priority != call_priority::event) {
    auto i = under_way_by_namespace_.find(c.ns);
    if (i != under_way_by_namespace_.end() && --i->second == 0)
      under_way_by_namespace_.erase(i);
    requeue_one_held_call(c.ns);
  }
  if (!why || !core::may_be_outage(why->code)) {
    if (++successes_ >= window_ && window_ < window_most_) {
      window_ = std::min(window_ * 2, window_most_);
      successes_ = 0;
    }
    return;
  }
  bool overloaded = why->code == k8s::ec::overloaded;
  bool events_only = overloaded && c.priority == call_priority::event;
  if (!events_only) {
    successes_ = 0;
    window_ = std::max(1, window_ / 2);
  }
  if (overloaded) {
    auto& until = events_only ? events_paused_until_ : paused_until_;
    until = std::max(
        until,
        now + time_point::duration{why->retry_after.value_or(overload_pause)});
  }
}

bool flow_control::should_resend(const api_call& c, const k8s::failure& why) {
  return why.code == k8s::ec::overloaded && c.attempts < overload_attempts;
}

void flow_control::raise_window_after_outage() {
  window_ = std::max(window_, window_first_);
}

} // namespace troupe::actors
