#pragma once

#include "actors/call_queue.hpp"
#include "actors/tuning.hpp"

#include <chrono>
#include <optional>

namespace troupe::actors {

/// Decides which of the waiting calls may go to the API server, and when. A
/// value: no actor, no timer, no clock; `now` is passed in.
///
/// * Lists of watchers go first, then work; of what may come soon, one call
///   after every 15 of work. Keys take turns.
/// * At most a window of calls is under way. It doubles while a whole window of
///   calls in a row is answered, and is halved when the server is overloaded,
///   fails or cannot be reached. A refusal (403, 404) is an answer like any.
/// * A token bucket limits calls per second, if so configured.
/// * Nothing goes before the time that the server asked for (Retry-After).
/// * What can wait (events) goes when no work waits; after much work has been
///   under way, only one call at a time, at some distance.
class flow_control {
public:
  using time_point = std::chrono::steady_clock::time_point;

  /// What `next` answers: a call, or when to ask again. Neither: nothing may go
  /// until a call is added or one under way has ended.
  struct next_call {
    std::optional<api_call> call;
    std::optional<time_point> ask_again;
  };

  flow_control() = default; ///< Lets nothing go.
  flow_control(const tuning& sizes, time_point now);

  /// The call waits, after the others of its key.
  void add(api_call c);
  /// The same, before the others of its key.
  void add_in_front(api_call c);

  /// Takes the call that may go now. If it goes, call `started`.
  next_call next(time_point now);
  /// Takes the first in line, whatever the limits say.
  std::optional<api_call> take_first();

  /// The call is under way.
  void started(api_call& c, time_point now);
  /// It has ended. `why`: its failure, nullptr if it succeeded.
  void ended(const api_call& c, const k8s::failure* why, time_point now);
  /// Whether a call that failed so is to be added again before its caller is
  /// told: the server turned it away unread, so it had no effect.
  static bool should_resend(const api_call& c, const k8s::failure& why);

  /// Forgets what failures of an outage did to the window: they say nothing
  /// about what the server can bear.
  void reset_window_after_outage();

  std::size_t waiting() const; ///< Without what can wait.
  std::size_t waiting_events() const { return events_.size(); }
  int window() const { return window_; }
  bool paused(time_point now) const { return now < paused_until_; }

private:
  call_queue& queue_of(const api_call& c);
  bool has_room() const;
  /// Only if something is waiting, other than what can wait.
  api_call next_work();
  /// Whether something that can wait may go now.
  bool calm_enough(time_point now);
  /// Takes a token, or pauses until there is one.
  bool rate_allows(time_point now);

  int window_first_ = 0;
  int window_most_ = 0;
  double calls_per_second_ = 0; ///< 0: no limit.
  int calls_burst_ = 0;
  int most_events_ = 0; ///< Under way.

  call_queue lists_;
  call_queue normal_;
  call_queue low_;
  call_queue events_;
  int passed_over_ = 0; ///< Work sent since something of soon_ was.

  int window_ = 0;
  int successes_ = 0; ///< In a row, with this window.
  int work_under_way_ = 0;
  int events_under_way_ = 0;
  time_point paused_until_{};
  time_point last_crowd_{}; ///< Much work was under way.
  time_point last_event_{}; ///< Sent.
  double tokens_ = 0;
  time_point tokens_at_{}; ///< When they were counted.
};

} // namespace troupe::actors
