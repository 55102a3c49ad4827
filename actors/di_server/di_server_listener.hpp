#pragma once

#include "actors/base/job_pod_addresses.hpp"
#include "actors/di_server/di_server.hpp"
#include "actors/di_server/di_server_leader.hpp"
#include "actors/metrics/metrics.hpp"
#include "k8s/http/server.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

namespace troupe::actors {

/// The HTTP server of di-server. It is opened before the actors exist, because
/// pods are told its port. Requests that come before the actors are answered
/// 503, so that clients ask later.
class di_server_listener {
public:
  /// With `anybody`, a request does not have to come from a pod of the job.
  static k8s::result<std::unique_ptr<di_server_listener>>
  open(const std::string& address, bool anybody);

  /// This replica answers while it leads, and otherwise forwards requests to
  /// the leader. To be called before set_di_server_actor().
  void set_leader_to_forward_to(std::shared_ptr<di_server_leader> leader);

  /// From now on clients with other addresses are refused, unless anybody may
  /// ask. Before this, and with nullptr, all are admitted.
  void set_admitted_addresses(std::shared_ptr<job_pod_addresses> addresses);

  di_server_listener();
  ~di_server_listener();

  std::uint16_t port() const { return server_->port(); }
  /// Requests are sent to `who`; without it they are answered 503. `counters`
  /// counts the responses; nullptr: as before.
  void set_di_server_actor(di_server_actor who,
                           std::shared_ptr<metrics> counters = {});
  /// Serves on a further socket, too, which listens already; takes the socket.
  k8s::result<k8s::nothing> serve_on_socket(int socket) {
    return server_->add_listening_socket(socket);
  }
  /// Answers new requests 503, and waits for the responses to the others.
  void drain(std::chrono::milliseconds limit);

private:
  struct target;

  std::shared_ptr<target> to_;
  std::shared_ptr<job_pod_addresses> addresses_;
  std::unique_ptr<k8s::http::server> server_;
};

} // namespace troupe::actors
