#pragma once

#include "actors/api/call_queue.hpp"
#include "actors/base/actor_options.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <unordered_map>

namespace troupe::actors {

/// Decides which of the waiting calls is sent to the API server, and when. A
/// value: no actor, no timer, no clock; `now` is an argument.
///
/// * Calls of priority `always` are sent first, then `normal`; one of `low`
///   after every 127 of `normal`. While many others are in flight and more are
///   being sent, `low` waits for that share, too. Keys are served in turns.
/// * At most a window of calls is in flight. It doubles when a whole window of
///   consecutive calls got a response, and is halved when the server is
///   overloaded, fails or cannot be reached. 403 and 404 count as ordinary
///   responses.
/// * If a limit is configured for each namespace, calls of its jobs above that
///   limit are held, and calls of other namespaces are sent.
/// * If a rate is configured, a token bucket limits calls per second.
/// * Nothing is sent before the time that the server asked for (Retry-After).
///   If it asked this of an event, only events wait: it limits them separately.
/// * Calls of priority `event` are sent when no other call waits; after many
///   calls have been in flight, only one at a time, with an interval.
class flow_control {
public:
  using time_point = std::chrono::steady_clock::time_point;

  /// The result of `take_next_call`: a call, or when to ask again. If neither
  /// is set, no call may be sent until one is added or one in flight has ended.
  struct next_call {
    std::optional<api_call> call;
    std::optional<time_point> ask_again;
  };

  flow_control() = default; ///< Allows no call.
  flow_control(const actor_options& options, time_point now);

  /// Changes the window, the rate limit, whose tokens are full then, and the
  /// limit of each namespace, whose calls are queued again. Calls that wait or
  /// are in flight are kept.
  void apply_actor_options(const actor_options& options, time_point now);

  /// Queues the call, after the others of its key.
  void add(api_call c);
  /// The same, before the others of its key.
  void add_in_front(api_call c);

  /// Which calls may be sent: any, or only those of priority `always`.
  enum class allowed { any_call, always_only };

  /// Takes the call that may be sent now; then record_call_start is called.
  next_call take_next_call(time_point now, allowed which = allowed::any_call);
  /// Takes the first in the queue, regardless of the limits.
  std::optional<api_call>
  pop_ignoring_limits(allowed which = allowed::any_call);

  /// The call is in flight.
  void record_call_start(api_call& c, time_point now);
  /// It has ended. `why`: its failure, nullptr if it succeeded.
  void record_call_end_and_adapt_window(const api_call& c,
                                        const k8s::failure* why,
                                        time_point now);
  /// Whether to add the call again instead of telling its caller this failure:
  /// the server rejected it without reading it, so it had no effect.
  static bool should_resend(const api_call& c, const k8s::failure& why);

  /// Resets the window after an outage: failures during an outage do not show
  /// how many calls the server can process.
  void raise_window_after_outage();

  /// Without calls of priority `event`.
  std::size_t waiting() const { return queued_except_events() + held(); }
  std::size_t held() const; ///< Of namespaces that are at their limit.
  std::size_t waiting_events() const { return events_.size(); }
  int window() const { return window_; }
  bool is_paused(time_point now) const {
    return now < paused_until_ || now < no_token_until_;
  }

private:
  call_queue& queue_of_priority(const api_call& c);
  bool has_window_room() const;
  /// Not held, and not of priority `event`.
  std::size_t queued_except_events() const;
  /// Whether the first call of priority `low` may be sent before calls that
  /// have not been added yet.
  bool is_low_priority_turn(time_point now) const;
  /// Whether a queued call, not of priority `event`, may be sent now.
  bool has_sendable_call(time_point now) const;
  bool has_namespace_limit(const api_call& c) const;
  /// Only if a call is queued whose priority is not `event`.
  api_call pop_next_non_event_call();
  /// The same, but holds the calls of namespaces that are at their limit.
  std::optional<api_call> pop_or_hold_by_namespace_limit(time_point now);
  /// Queues the next call that is held of this namespace.
  void requeue_one_held_call(const std::string& ns);
  /// Whether a call of priority `event` may be sent now; counts it as sent.
  bool try_take_event_slot(time_point now);
  /// Takes a token, or sets the time when there will be one.
  bool try_take_rate_token(time_point now);
  /// Gives back the token that was taken for a call that is not sent.
  void return_rate_token();

  int window_first_ = 0;
  int window_most_ = 0;
  double calls_per_second_ = 0; ///< 0: no limit.
  int calls_burst_ = 0;
  int max_events_ = 0;       ///< In flight.
  int namespace_window_ = 0; ///< 0: no limit.

  call_queue always_;
  call_queue normal_;
  call_queue low_;
  call_queue events_;
  std::unordered_map<std::string, call_queue> held_; ///< By namespace.
  int passed_over_ = 0; ///< Calls of `normal` sent since the last of `low`.
  int normal_under_way_ = 0;
  time_point last_normal_{}; ///< Sent.

  int window_ = 0;
  int successes_ = 0; ///< Consecutive, with this window.
  int work_under_way_ = 0;
  int events_under_way_ = 0;
  std::unordered_map<std::string, int> under_way_by_namespace_;
  time_point paused_until_{}; ///< As the server asked.
  time_point events_paused_until_{};
  time_point last_crowd_{}; ///< When many calls were in flight.
  time_point last_event_{}; ///< Sent.
  double tokens_ = 0;
  time_point tokens_at_{}; ///< When the tokens were counted.
  time_point no_token_until_{};
};

} // namespace troupe::actors
