#pragma once

#include "k8s/node/base/isolation.hpp"
#include "k8s/node/base/node.hpp"
#include "k8s/node/base/node_directory.hpp"
#include "k8s/node/namespaces/cluster_namespaces.hpp"

#include <memory>

namespace troupe::k8s::node {

/// How this node keeps pods apart, and what it needs for that.
struct isolation_choice {
  isolation_kind kind = isolation_kind::preload; ///< Not automatic.
  std::string why_not; ///< Why there are no namespaces, if they were tried.
  std::string why_no_preload; ///< Of /bin/sh and programs like it; or "".
  /// Set with namespaces, as are the sockets of the cluster's DNS.
  std::shared_ptr<cluster_namespaces> cluster;
  bool is_work_directory_shared = false;
  std::string shared_private_directory; ///< See isolation_report.
  unique_descriptor dns_udp;
  unique_descriptor dns_tcp;
};

/// Follows the options. It tries whether namespaces work by starting those of
/// the cluster, which are kept, and a container in them. Where programs would
/// break of the preload library, it is not used. An error if what is wanted
/// does not work and nothing else is allowed.
result<isolation_choice>
choose_and_start_isolation(const node_options& options,
                           const node_directory& directory);

} // namespace troupe::k8s::node
