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
  /// For the API server of the cluster; nullptr if only an address is known.
  std::shared_ptr<k8s::api> cluster;
};

/// Connects to the first of these that applies:
/// 1. The address of --admin.
/// 2. The usual address on this machine, if an operator is there and neither a
///    flag nor KUBECONFIG names a kubeconfig.
/// 3. The operator of the kubeconfig's cluster, and never another one's: where
///    the control plane of `troupe up` or `troupe run` says it is; else the pod
///    of the operator that leads, through the API server; else the usual
///    address, if the operator there works for that API server.
k8s::result<admin_connection> connect_to_admin(const admin_options& o);

} // namespace troupe::cli
