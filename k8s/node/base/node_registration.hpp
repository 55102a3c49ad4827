#pragma once

#include "k8s/node/base/node.hpp"
#include "k8s/node/base/node_client.hpp"

namespace troupe::k8s::node {

/// The host's address for pods without a network of their own.
constexpr const char* host_address = "127.0.0.1";

/// Creates the Node object, if it does not exist, and writes its status: Ready,
/// with this reason and message; repeats what fails for the time being.
/// `address` is the host's, as pods see it.
void register_node(node_client& client, const node_options& options,
                   const std::string& reason, const std::string& message,
                   const std::string& address = host_address);

} // namespace troupe::k8s::node
