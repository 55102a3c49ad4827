#pragma once

#include "k8s/api.hpp"
#include "k8s/rest/credentials/credentials.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace troupe::k8s::rest {

/// A port of a pod, which may be on its loopback, and the token that the server
/// there needs; "": none.
struct pod_port {
  std::string ns;
  std::string pod;
  std::uint16_t port = 0;
  std::string token = {};
};

/// A client of the plain HTTP server at a port of a pod. Each call has its own
/// connection, which the API server and the kubelet forward, as for `kubectl
/// port-forward`; so the login of `config` needs the right to pods/portforward
/// and no other. Watches fail with ec::bug, and calls other than GET, or with a
/// body, with ec::invalid. Destroying it cancels the calls in flight.
std::unique_ptr<api> make_port_forward_api(client_config config, pod_port to);

} // namespace troupe::k8s::rest
