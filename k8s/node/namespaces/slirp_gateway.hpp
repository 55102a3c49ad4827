#pragma once

#include "k8s/node/namespaces/cluster_namespaces.hpp"

#include <memory>
#include <string>

namespace troupe::k8s::node {

/// The cluster's connection to other networks: slirp4netns, as one more
/// machine on the bridge, which makes the pods' connections from the host's
/// network. The host's own loopback addresses cannot be reached by it.
class slirp_gateway {
public:
  /// Starts it; an error says what is missing.
  static result<std::unique_ptr<slirp_gateway>>
  start(cluster_namespaces& cluster);
  ~slirp_gateway();

  slirp_gateway(const slirp_gateway&) = delete;
  slirp_gateway& operator=(const slirp_gateway&) = delete;

private:
  slirp_gateway(pid_t pid, unique_descriptor end)
      : pid_(pid)
      , end_(std::move(end)) {}

  pid_t pid_;
  unique_descriptor end_; ///< It ends when this is closed.
};

} // namespace troupe::k8s::node
