#pragma once

#include "actors/protocols.hpp"

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

namespace troupe::actors {

class metrics;

/// Calls waiting for their turn: keys take turns, so that a job of a thousand
/// pods does not hold up a job of two. No clock, no actor.
class call_queue {
public:
  void push(api_call c);
  void push_front(api_call c);
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  api_call pop();

private:
  std::unordered_map<std::string, std::deque<api_call>> by_key_;
  std::deque<std::string> turns_; ///< Keys that have something waiting.
  std::size_t size_ = 0;
};

/// Owns the door to the API server. Keeps at most a window of calls under way
/// (growing while calls succeed, halved when the server is overloaded or
/// silent), lets job keys take turns, lets work go before what can wait, obeys
/// Retry-After, and answers each call exactly once. Knows no job.
class gateway_state {
public:
  static inline const char* name = "gateway";

  explicit gateway_state(gateway_actor::pointer self)
      : self_(self) {}

  void begin(std::shared_ptr<k8s::api> door,
             std::shared_ptr<const tuning> sizes,
             std::shared_ptr<metrics> counters);
  void take(const api_call& c);
  void open(const open_stream& o);
  void finished(const call_finished& f);
  void woke(const woke_up& w);
  caf::result<drained> stop();
  report_ptr report() const;

private:
  struct under_way {
    api_call call;
    caf::actor_clock::time_point since;
  };

  void pump();
  /// Whether something that can wait may go now; else arranges a later look.
  bool calm_enough();
  call_queue& queue_of(const api_call& c);
  /// Not if both queues of work are empty.
  api_call next_work();
  void send_out(api_call c);
  void answer(const api_call& c,
              std::shared_ptr<const k8s::result<std::string>> outcome);
  void adapt(const k8s::result<std::string>& outcome);
  /// Whether the rate limit lets one more go now; else arranges a wake-up.
  bool rate_allows();
  void wake_in(std::chrono::milliseconds delay);

  gateway_actor::pointer self_;
  std::shared_ptr<k8s::api> door_;
  std::shared_ptr<const tuning> sizes_;
  std::shared_ptr<metrics> counters_;
  call_queue work_;
  call_queue soon_;
  call_queue whenever_;
  int passed_over_ = 0; ///< Work sent since something of soon_ was.
  std::unordered_map<std::uint64_t, under_way> under_way_;
  std::uint64_t next_id_ = 1;
  int window_ = 0;
  int successes_ = 0;
  std::size_t events_under_way_ = 0;
  caf::actor_clock::time_point last_crowd_{}; ///< Much work was under way.
  caf::actor_clock::time_point last_event_{}; ///< Sent.
  bool calm_timer_set_ = false;
  bool paused_ = false;
  bool stopping_ = false;
  std::uint64_t pause_turn_ = 0;
  double tokens_ = 0;
  caf::actor_clock::time_point tokens_at_{};
  std::vector<caf::typed_response_promise<drained>> waiting_for_drain_;
};

gateway_actor::behavior_type
gateway(gateway_actor::stateful_pointer<gateway_state> self,
        std::shared_ptr<k8s::api> door, std::shared_ptr<const tuning> sizes,
        std::shared_ptr<metrics> counters);

} // namespace troupe::actors
