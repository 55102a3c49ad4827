#pragma once

#include "actors/flow_control.hpp"

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

namespace troupe::actors {

class metrics;

/// What a gateway is built from.
struct gateway_config {
  std::shared_ptr<k8s::api> client;
  std::shared_ptr<const tuning> sizes;
  std::shared_ptr<metrics> counters;
  std::function<double()> jitter; ///< Uniform in [0, 1).
  server_probe_actor probe;
};

/// The only owner of the API client. Sends each call when its flow control lets
/// it go, and answers it exactly once: with `ec::cancelled` if it still waits
/// when the gateway is drained, or comes later. Knows no job.
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

  void init(gateway_config config);
  void on_api_call(api_call& c);
  void on_open_stream(const open_stream& o);
  void on_call_finished(const call_finished& f);
  void on_stream_health_observed(const stream_health_observed& n);
  void on_server_unavailable(const server_unavailable& s);
  void on_server_available();
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
  };

  time_point now() const { return self_->clock().now(); }
  /// Sends what may go now.
  void send_ready();
  /// Sets a timer for that, unless one is set for an earlier time.
  void set_send_timer(time_point when);
  void start(const open_stream& o);
  /// What one more outcome tells of the server; nullptr: it has served.
  void update_server_health(const k8s::failure* why);
  /// Lets one of those that wait find out whether the server is back.
  void send_trial();
  void schedule_trial();
  void send_out(api_call c);
  void answer(const api_call& c,
              std::shared_ptr<const k8s::result<std::string>> outcome);
  /// Answers what is not sent because the operator is stopping.
  void cancel(const api_call& c);
  void cancel(const open_stream& o);

  gateway_actor::pointer self_;
  std::shared_ptr<k8s::api> client_;
  std::shared_ptr<const tuning> sizes_;
  std::shared_ptr<metrics> counters_;
  std::function<double()> jitter_;
  server_probe_actor probe_;
  flow_control flow_;
  std::unordered_map<std::uint64_t, under_way> under_way_;
  std::uint64_t next_id_ = 1;
  bool stopping_ = false;
  std::optional<time_point> send_timer_at_; ///< A timer is set.
  std::uint64_t last_timer_ = 0;
  std::uint64_t send_timer_ = 0;
  std::uint64_t trial_timer_ = 0;   ///< 0: no trial is due.
  bool suspected_ = false;          ///< The probe is looking.
  bool away_ = false;               ///< It says that the server does not serve.
  int failures_ = 0;                ///< Of the server's, in a row.
  std::deque<open_stream> streams_; ///< Waiting for the server.
  std::vector<caf::typed_response_promise<drained>> waiting_for_drain_;
};

gateway_actor::behavior_type
gateway(gateway_actor::stateful_pointer<gateway_state> self,
        gateway_config config);

} // namespace troupe::actors
