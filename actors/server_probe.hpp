#pragma once

#include "actors/protocols.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace troupe::actors {

/// Asks the API server's /readyz while somebody suspects that the server is
/// away, twice to four times a second, and tells those when it is not ready and
/// when it is. One of these serves all gateways, so that many of them ask no
/// more often than one. Nobody suspects anything: it asks nothing.
///
/// The path is open to everybody (system:public-info-viewer); where it is not,
/// a refusal tells as much: the server is there. But not of a server that could
/// not be reached before, for it may be starting.
class server_probe_state {
public:
  static inline const char* name = "server-probe";

  explicit server_probe_state(server_probe_actor::pointer self)
      : self_(self) {}

  void init(std::shared_ptr<k8s::api> client, std::function<double()> jitter);
  void on_watch_server_health(const watch_server_health& s);
  void on_unwatch_server_health(const unwatch_server_health& s);
  void on_probe_finished(const probe_finished& f);
  void on_timer(const timer_fired& fired);
  report_ptr report() const;

private:
  void ask();
  void rest();
  /// Logs the message if the server was away.
  void end_outage(const char* message);

  server_probe_actor::pointer self_;
  std::shared_ptr<k8s::api> client_;
  std::function<double()> jitter_;
  std::vector<server_listener_actor> listeners_; ///< Those who suspect it.
  bool asking_ = false;
  bool resting_ = false;
  bool away_ = false;        ///< Not ready, and no call has succeeded since.
  bool unreachable_ = false; ///< At some time since it was last ready.
  caf::actor_clock::time_point away_since_{};
  std::string why_;
};

server_probe_actor::behavior_type
server_probe(server_probe_actor::stateful_pointer<server_probe_state> self,
             std::shared_ptr<k8s::api> client, std::function<double()> jitter);

} // namespace troupe::actors
