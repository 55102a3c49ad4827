#pragma once

#include "k8s/node/namespaces/cluster_namespaces.hpp"

#include <memory>
#include <string>

namespace troupe::k8s::node {

/// The cluster's connection to other networks: slirp4netns is one more machine
/// on the bridge and makes the pods' connections from the host's network. Pods
/// cannot reach the host's loopback addresses through it.
class slirp_gateway {
public:
  /// Starts slirp4netns; an error says what is missing.
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
  unique_descriptor end_; ///< slirp4netns ends when this is closed.
};

} // namespace troupe::k8s::node
