#pragma once

#include "actors/cli/ask/admin_options.hpp"
#include "k8s/api.hpp"

#include <memory>
#include <string>

namespace troupe::cli {

/// A way to an operator's admin endpoint.
struct admin_connection {
  std::shared_ptr<k8s::api> client;
  std::string where; ///< The address or the pod, for messages.
  std::string default_namespace = "default"; ///< Of the kubeconfig's context.
  /// Of the cluster; nullptr if an address is all that is known.
  std::shared_ptr<k8s::api> cluster;
};

/// To the address of --admin; else, unless a kubeconfig was named by a flag or
/// KUBECONFIG, to the usual address on this machine, if an operator is there;
/// else to the operator of the cluster, and no other: where the control plane
/// of `troupe up` and `troupe run` says it is, through the API server to the
/// pod of the operator that leads, or to the usual address, if the operator
/// there works for that API server.
k8s::result<admin_connection> connect_to_admin(const admin_options& o);

} // namespace troupe::cli
