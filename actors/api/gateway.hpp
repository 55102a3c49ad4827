#pragma once

#include "actors/api/flow_control.hpp"
#include "actors/api/outage_detector.hpp"
#include "actors/base/own_report.hpp"
#include "actors/leadership/write_gate.hpp"

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

namespace troupe::actors {

class metrics;

/// About a thousand ordinary pods. The last body may exceed this limit.
inline constexpr std::size_t most_bytes_under_way = 16u << 20;

/// What a gateway is built from.
struct gateway_config {
  std::shared_ptr<k8s::api> client;
  std::shared_ptr<const actor_options> options;
  std::shared_ptr<metrics> counters;
  std::function<double()> jitter; ///< Uniform in [0, 1).
  server_probe_actor probe;
  /// While it is closed only calls of priority `always` are sent; nullptr: it
  /// is always open.
  std::shared_ptr<const write_gate> gate = nullptr;
};

/// Sends each call when flow control allows it, and responds exactly once: with
/// `ec::cancelled` if the call still waits when the gateway is drained, or
/// arrives later. Only gateways, the server probe and the leader elector hold
/// the API client. A gateway knows nothing about jobs.
///
/// While the server is unavailable (`outage_detector` decides), calls and
/// streams are queued here, so that the callers' back-off does not grow; all
/// are sent as soon as the server is ready again. If the server responds but is
/// never ready, one queued call or stream is sent as a trial, every 10 s at the
/// latest. Not more often: a starting server answers 403, 404, or 503 with
/// Retry-After.
///
/// A body is made when its call is sent. While the bodies of the calls in
/// flight have more than most_bytes_under_way, no other body is made.
///
/// While the write gate is closed, all calls except those of priority `always`
/// wait: this process does not lead, or could not renew its Lease in time.
class gateway_state {
public:
  static inline const char* name = "gateway";

  explicit gateway_state(gateway_actor::pointer self)
      : self_(self) {}

  void init(gateway_config config);
  void on_api_call(api_call& c);
  void on_open_stream(const open_stream& o);
  void on_call_finished(const call_finished& f);
  void on_stream_health_observed(const stream_health_observed& n);
  void on_server_unavailable(const server_unavailable& s);
  void on_server_available();
  void on_actor_options_changed(const actor_options_changed& c);
  void on_leadership_resumed() { send_queued_calls(); }
  void on_timer(const timer_fired& fired);
  caf::result<drained> on_drain();
  report_ptr report() const;

private:
  using time_point = flow_control::time_point;

  struct under_way {
    api_call call;
    k8s::verb method = k8s::verb::get;
    std::string resource;
    time_point since;
    std::size_t body_bytes = 0;
  };

  flow_control::allowed allowed_calls() const;
  time_point now() const { return self_->clock().now(); }
  /// Sends all calls that flow control allows.
  void send_queued_calls();
  /// Sets a timer for send_queued_calls, unless one is set for an earlier time.
  void set_send_timer_unless_earlier(time_point when);
  void start_watch_stream(const open_stream& o);
  /// Does what the outage detector says.
  void execute_outage_step(const outage_detector::step& next);
  /// Sends one queued call or stream as a trial.
  void send_one_queued_as_trial();
  void schedule_trial();
  void give_memory_back_after_burst();
  void build_and_send_call(api_call c);
  void reply_to_caller(const api_call& c,
                       std::shared_ptr<const k8s::result<std::string>> outcome);
  /// Responds that the call is not sent, because the operator is stopping.
  void refuse_as_stopping(const api_call& c);
  void refuse_as_stopping(const open_stream& o);

  gateway_actor::pointer self_;
  std::shared_ptr<k8s::api> client_;
  std::shared_ptr<const actor_options> options_;
  std::shared_ptr<metrics> counters_;
  std::function<double()> jitter_;
  server_probe_actor probe_;
  std::shared_ptr<const write_gate> gate_;
  flow_control flow_;
  std::unordered_map<std::uint64_t, under_way> under_way_;
  std::size_t bytes_under_way_ = 0; ///< Of the bodies of calls in flight.
  std::uint64_t next_id_ = 1;
  int calls_since_trim_ = 0;                ///< Of the heap.
  std::optional<std::uint64_t> trim_timer_; ///< Of the next one, if it is set.
  bool stopping_ = false;
  std::optional<time_point> send_timer_at_; ///< A timer is set.
  std::uint64_t last_timer_ = 0;
  std::uint64_t send_timer_ = 0;
  std::uint64_t trial_timer_ = 0; ///< The last one that was set.
  outage_detector outage_;
  std::deque<open_stream> streams_; ///< Waiting for the server.
  std::vector<caf::typed_response_promise<drained>> waiting_for_drain_;
};

gateway_actor::behavior_type
gateway(self_pointer<gateway_actor, gateway_state> self, gateway_config config);

} // namespace troupe::actors
