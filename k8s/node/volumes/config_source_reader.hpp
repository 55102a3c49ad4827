#pragma once

#include "k8s/node/base/node_client.hpp"
#include "k8s/node/volumes/config_sources.hpp"

#include <functional>
#include <string>
#include <vector>

namespace troupe::k8s::node {

/// Reads ConfigMaps and Secrets from the API server, and asks it for tokens.
class config_source_reader {
public:
  explicit config_source_reader(node_client& client)
      : client_(client) {}

  /// Reads all `names`, at least one, for this pod. Calls `handle` once, with
  /// the content of each, or the reason why it is not known.
  void read_all_sources(const json& pod, std::vector<config_source_name> names,
                        std::function<void(config_sources)> handle);

private:
  using one_handler = std::function<void(config_source_content)>;

  void read_config_source(const json& pod, const config_source_name& name,
                          one_handler handle);
  void read_token(const json& pod, const config_source_name& name,
                  one_handler handle);

  node_client& client_;
};

} // namespace troupe::k8s::node
