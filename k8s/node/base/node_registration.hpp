#pragma once

#include "k8s/node/base/node.hpp"
#include "k8s/node/base/node_client.hpp"

namespace troupe::k8s::node {

/// The address of this host, as far as its pods are concerned.
constexpr const char* host_address = "127.0.0.1";

/// Creates the Node object, if it is not there, and writes its status: it is
/// ready, for this reason. `address` is the host's, as pods see it.
void register_node(node_client& client, const node_options& options,
                   const std::string& reason, const std::string& message,
                   const std::string& address = host_address);

} // namespace troupe::k8s::node
