#pragma once

#include "k8s/node/namespaces/cluster_namespaces.hpp"

#include <memory>
#include <string>

namespace troupe::k8s::node {

/// The cluster's connection to other networks: slirp4netns, as one more
/// machine on the bridge, which makes the pods' connections from the host's
/// network. The host's own loopback addresses cannot be reached by it.
class way_out {
public:
  /// Starts it; an error says what is missing.
  static result<std::unique_ptr<way_out>> start(cluster_namespaces& cluster);
  ~way_out();

  way_out(const way_out&) = delete;
  way_out& operator=(const way_out&) = delete;

private:
  way_out(pid_t pid, unique_descriptor end)
      : pid_(pid)
      , end_(std::move(end)) {}

  pid_t pid_;
  unique_descriptor end_; ///< It ends when this is closed.
};

} // namespace troupe::k8s::node
