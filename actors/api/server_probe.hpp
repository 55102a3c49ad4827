#pragma once

#include "actors/base/own_report.hpp"
#include "actors/base/protocols.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe::actors {

/// Polls the API server's /readyz two to four times a second while at least one
/// gateway suspects an outage. Tells those gateways when the server is not
/// ready, and when it is. One probe serves all gateways, so many gateways cause
/// no more requests than one.
///
/// Every user may read the path (system:public-info-viewer). If not, 401 or 403
/// also show that the server works, except if it could not be reached before:
/// then it may be starting.
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
  void send_probe();
  void schedule_next_probe();
  /// Logs the message if the server was unavailable.
  void log_outage_end_if_away(const char* message);
  /// null: there was none.
  nlohmann::json seconds_since_outage_or_null() const;

  server_probe_actor::pointer self_;
  std::shared_ptr<k8s::api> client_;
  std::function<double()> jitter_;
  /// The gateways that suspect an outage.
  std::vector<server_listener_actor> listeners_;
  bool asking_ = false;
  bool resting_ = false;
  bool away_ = false;        ///< Not ready, and no call has succeeded since.
  bool unreachable_ = false; ///< At least once since it was last ready.
  caf::actor_clock::time_point away_since_{};
  /// End of the latest outage.
  std::optional<caf::actor_clock::time_point> away_until_;
  std::string why_;
};

server_probe_actor::behavior_type
server_probe(self_pointer<server_probe_actor, server_probe_state> self,
             std::shared_ptr<k8s::api> client, std::function<double()> jitter);

} // namespace troupe::actors
