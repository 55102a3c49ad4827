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

/// Where di-server listens. Opened before the actors exist, since the pods are
/// told its port; requests that come before are asked to come again.
class di_server_listener {
public:
  /// With `anybody`, requests need not come from a pod of the job.
  static k8s::result<std::unique_ptr<di_server_listener>>
  open(const std::string& address, bool anybody);

  /// This replica answers while it leads, and forwards requests to the leader
  /// else. Before serve().
  void set_leader_to_forward_to(std::shared_ptr<di_server_leader> leader);

  /// Clients with other addresses are refused, unless everybody may ask. Until
  /// then, all are let in.
  void set_addresses(std::shared_ptr<job_pod_addresses> addresses);

  di_server_listener();
  ~di_server_listener();

  std::uint16_t port() const { return server_->port(); }
  /// `counters` counts the responses; nullptr: nobody does.
  void set_di_server_actor(di_server_actor who,
                           std::shared_ptr<metrics> counters = {});
  /// On a further socket, which listens; takes it.
  k8s::result<k8s::nothing> serve_on_socket(int socket) {
    return server_->add_listening_socket(socket);
  }
  /// Takes no new requests, and waits for the responses to the others.
  void drain(std::chrono::milliseconds limit);

private:
  struct target;

  std::shared_ptr<target> to_;
  std::shared_ptr<job_pod_addresses> addresses_;
  std::unique_ptr<k8s::http::server> server_;
};

} // namespace troupe::actors
