#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::k8s::node {

/// The network of pods in namespaces: 65,536 addresses with 16 bits in common.
struct pod_subnet {
  std::uint32_t first = (10u << 24) | (244u << 16); ///< In the host's order.

  std::string address(unsigned number) const;
  /// The host's address for pods.
  std::string bridge_address() const { return address(1); }
  /// The gateway to other networks, if there is one.
  std::string gateway_address() const { return address(2); }
  std::string cidr() const { return address(0) + "/16"; }
};

/// A network that this host can reach, in the host's byte order.
struct host_network {
  std::uint32_t address = 0;
  std::uint32_t mask = 0;
};

/// Reads the text of /proc/net/route.
std::vector<host_network> parse_route_table(std::string_view text);

/// The networks of this host's routes and interfaces.
std::vector<host_network> read_host_networks();

struct pod_subnet_choice {
  pod_subnet subnet;
  bool is_free = true; ///< If not, pods do not reach the host's there.
};

/// The first of some private networks that the host does not use; 10.244,
/// marked as not free, if it uses all. Another cluster often has 10.244.
pod_subnet_choice choose_pod_subnet(const std::vector<host_network>& used);

} // namespace troupe::k8s::node
