#pragma once

#include "k8s/node/config_sources.hpp"
#include "k8s/node/node_client.hpp"

#include <functional>
#include <string>
#include <vector>

namespace troupe::k8s::node {

/// Reads ConfigMaps and Secrets from the API server.
class config_source_reader {
public:
  explicit config_source_reader(node_client& client)
      : client_(client) {}

  /// Reads all of `names`, at least one; calls `handle` once, with what is
  /// there and with why the others are not.
  void read(const std::string& ns, std::vector<config_source_name> names,
            std::function<void(config_sources)> handle);

private:
  node_client& client_;
};

} // namespace troupe::k8s::node
