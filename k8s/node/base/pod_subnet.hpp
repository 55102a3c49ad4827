#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::k8s::node {

/// The network of pods with addresses of their own: 65,536 of them, with 16
/// bits in common.
struct pod_subnet {
  std::uint32_t first = (10u << 24) | (244u << 16); ///< In the host's order.

  std::string address(unsigned number) const;
  /// The host, as pods see it.
  std::string bridge_address() const { return address(1); }
  /// Where other networks are, if there is a way out.
  std::string gateway_address() const { return address(2); }
  std::string cidr() const { return address(0) + "/16"; }
};

/// A network that this host knows how to reach, in the host's order.
struct host_network {
  std::uint32_t address = 0;
  std::uint32_t mask = 0;
};

/// Those of /proc/net/route.
std::vector<host_network> parse_route_table(std::string_view text);

/// Those of routes and interfaces.
std::vector<host_network> read_host_networks();

struct pod_subnet_choice {
  pod_subnet subnet;
  bool is_free = true; ///< Else pods cannot reach what the host has there.
};

/// The first of some private networks that the host does not use: 10.244 is
/// often that of another cluster.
pod_subnet_choice choose_pod_subnet(const std::vector<host_network>& used);

} // namespace troupe::k8s::node
