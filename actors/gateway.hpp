#pragma once

#include "actors/call_queue.hpp"

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

namespace troupe::actors {

class metrics;

/// What a gateway is built from.
struct gateway_task {
  std::shared_ptr<k8s::api> client;
  std::shared_ptr<const tuning> sizes;
  std::shared_ptr<metrics> counters;
  std::function<double()> jitter; ///< Uniform in [0, 1).
  server_probe_actor probe;
};

/// Owns the door to the API server. Keeps at most a window of calls under way
/// (growing while calls succeed, halved when the server is overloaded or
/// silent), lets job keys take turns, lets work go before what can wait, obeys
/// Retry-After, and answers each call exactly once. Knows no job.
///
/// While the server is away, calls and streams wait here instead of failing at
/// their callers, who would wait ever longer: all go on as soon as the server
/// is ready again. For a server that answers but is never ready, one of them is
/// tried every 10 s at least; not sooner, for a server that is starting refuses
/// what it does not know yet, and asks for seconds of patience.
class gateway_state {
public:
  static inline const char* name = "gateway";

  explicit gateway_state(gateway_actor::pointer self)
      : self_(self) {}

  void begin(gateway_task task);
  void take(api_call& c);
  void open(const open_stream& o);
  void finished(const call_finished& f);
  void stream_finished(const stream_outcome& n);
  void server_away(const server_is_away& s);
  void server_back();
  void woke(const woke_up& w);
  caf::result<drained> stop();
  report_ptr report() const;

private:
  struct under_way {
    api_call call;
    k8s::verb what = k8s::verb::get;
    std::string resource;
    caf::actor_clock::time_point since;
  };

  void pump();
  void start(const open_stream& o);
  /// What one more outcome tells of the server; nullptr: it has served.
  void note_outcome(const k8s::failure* why);
  /// Lets one of those that wait find out whether the server is back.
  void try_one();
  void try_later();
  /// Whether something that can wait may go now; else arranges a later look.
  bool calm_enough();
  call_queue& queue_of(const api_call& c);
  bool has_work() const;
  /// Only if there is some.
  api_call next_work();
  void send_out(api_call c);
  void answer(const api_call& c,
              std::shared_ptr<const k8s::result<std::string>> outcome);
  void adapt(const k8s::result<std::string>& outcome);
  /// Whether the rate limit lets one more go now; else arranges a wake-up.
  bool rate_allows();
  void wake_in(std::chrono::milliseconds delay);

  gateway_actor::pointer self_;
  std::shared_ptr<k8s::api> client_;
  std::shared_ptr<const tuning> sizes_;
  std::shared_ptr<metrics> counters_;
  std::function<double()> jitter_;
  server_probe_actor probe_;
  call_queue first_;
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
  std::uint64_t last_turn_ = 0;
  std::uint64_t pause_turn_ = 0;
  std::uint64_t trial_turn_ = 0;    ///< 0: no trial is due.
  bool suspected_ = false;          ///< The probe is looking.
  bool away_ = false;               ///< It says that the server does not serve.
  int failures_ = 0;                ///< Of the server's, in a row.
  std::deque<open_stream> streams_; ///< Waiting for the server.
  double tokens_ = 0;
  caf::actor_clock::time_point tokens_at_{};
  std::vector<caf::typed_response_promise<drained>> waiting_for_drain_;
};

gateway_actor::behavior_type
gateway(gateway_actor::stateful_pointer<gateway_state> self, gateway_task task);

} // namespace troupe::actors
