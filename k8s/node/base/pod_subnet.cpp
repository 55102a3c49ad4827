#include "k8s/node/base/pod_subnet.hpp"

#include "k8s/general/files.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <sstream>
#include <sys/socket.h>

namespace troupe::k8s::node {

namespace {

constexpr std::uint32_t subnet_mask = 0xffff0000u;
/// Shorter ones are default routes, or halves of one.
constexpr std::uint32_t least_mask = 0xff000000u;

constexpr std::uint32_t make_slash_16_network(unsigned a, unsigned b) {
  return (a << 24) | (b << 16);
}

constexpr std::uint32_t candidates[] = {
    make_slash_16_network(10, 244), make_slash_16_network(10, 200),
    make_slash_16_network(172, 30), make_slash_16_network(192, 168),
    make_slash_16_network(100, 96)};

/// False for default routes, which lead everywhere.
bool overlaps_except_default_routes(const host_network& n,
                                    std::uint32_t block) {
  auto common = n.mask & subnet_mask;
  return (n.mask & least_mask) == least_mask
         && (n.address & common) == (block & common);
}

std::uint32_t to_ipv4(const sockaddr* a) {
  return ntohl(reinterpret_cast<const sockaddr_in*>(a)->sin_addr.s_addr);
}

} // namespace

std::string pod_subnet::address(unsigned number) const {
  in_addr a{htonl(first | number)};
  char text[INET_ADDRSTRLEN];
  return ::inet_ntop(AF_INET, &a, text, sizeof text);
}

std::vector<host_network> parse_route_table(std::string_view text) {
  std::vector<host_network> out;
  std::istringstream lines{std::string{text}};
  std::string line;
  std::getline(lines, line); // The columns' names.
  while (std::getline(lines, line)) {
    std::istringstream words{line};
    std::string interface;
    std::string ignored;
    std::uint32_t address = 0;
    std::uint32_t mask = 0;
    words >> interface >> std::hex >> address;
    for (int i = 0; i < 5; ++i) // Gateway, Flags, RefCnt, Use, Metric.
      words >> ignored;
    if (words >> mask)
      out.push_back({ntohl(address), ntohl(mask)}); // As they are in memory.
  }
  return out;
}

std::vector<host_network> read_host_networks() {
  auto routes = read_file("/proc/net/route");
  auto out = parse_route_table(routes ? *routes : "");
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0)
    return out;
  for (auto* i = all; i; i = i->ifa_next)
    if (i->ifa_addr && i->ifa_netmask && i->ifa_addr->sa_family == AF_INET)
      out.push_back({to_ipv4(i->ifa_addr), to_ipv4(i->ifa_netmask)});
  ::freeifaddrs(all);
  return out;
}

pod_subnet_choice choose_pod_subnet(const std::vector<host_network>& used) {
  for (auto block : candidates)
    if (std::none_of(used.begin(), used.end(), [=](const auto& n) {
          return overlaps_except_default_routes(n, block);
        }))
      return {{block}, true};
  return {{candidates[0]}, false};
}

} // namespace troupe::k8s::node
