#include "k8s/node/base/pod_subnet.hpp"

#include <boost/test/unit_test.hpp>

#include <arpa/inet.h>
#include <cstdio>

using namespace troupe::k8s::node;

BOOST_AUTO_TEST_SUITE(pod_subnet_test)

namespace {

std::uint32_t number_of(const std::string& address) {
  in_addr a{};
  BOOST_REQUIRE(::inet_pton(AF_INET, address.c_str(), &a) == 1);
  return ntohl(a.s_addr);
}

/// "10.0.0.0/8".
host_network network(const std::string& text) {
  auto slash = text.find('/');
  auto bits = std::stoi(text.substr(slash + 1));
  return {number_of(text.substr(0, slash)),
          bits == 0 ? 0 : ~std::uint32_t{0} << (32 - bits)};
}

} // namespace

BOOST_AUTO_TEST_CASE(a_subnet_names_its_addresses) {
  pod_subnet s;
  BOOST_TEST(s.cidr() == "10.244.0.0/16");
  BOOST_TEST(s.bridge_address() == "10.244.0.1");
  BOOST_TEST(s.gateway_address() == "10.244.0.2");
  BOOST_TEST(s.address(0x0103) == "10.244.1.3");
}

BOOST_AUTO_TEST_CASE(networks_of_the_host_are_left_alone) {
  struct row {
    std::vector<std::string> used;
    const char* chosen; ///< "" if none is free.
  };
  const row rows[] = {
      {{}, "10.244.0.0/16"},
      {{"127.0.0.1/8", "192.0.2.2/24"}, "10.244.0.0/16"},
      {{"0.0.0.0/0", "0.0.0.0/1"}, "10.244.0.0/16"}, // Default routes.
      {{"10.244.0.0/32"}, "10.200.0.0/16"},          // One address.
      {{"10.244.3.0/24"}, "10.200.0.0/16"},
      {{"10.0.0.0/8"}, "172.30.0.0/16"},
      {{"10.0.0.0/8", "172.16.0.0/12"}, "192.168.0.0/16"},
      {{"10.0.0.0/8", "172.16.0.0/12", "192.168.1.7/24"}, "100.96.0.0/16"},
      {{"10.0.0.0/8", "172.16.0.0/12", "192.168.1.7/24", "100.64.0.0/10"}, ""},
  };
  for (const auto& r : rows) {
    std::vector<host_network> used;
    for (const auto& text : r.used)
      used.push_back(network(text));
    auto choice = choose_pod_subnet(used);
    bool is_free = *r.chosen != '\0';
    BOOST_TEST(choice.is_free == is_free);
    BOOST_TEST(choice.subnet.cidr() == (is_free ? r.chosen : "10.244.0.0/16"));
  }
}

BOOST_AUTO_TEST_CASE(routes_are_read_from_the_kernels_table) {
  auto hex = [](const std::string& address) {
    char text[9];
    in_addr a{htonl(number_of(address))};
    std::snprintf(text, sizeof text, "%08X", a.s_addr);
    return std::string{text};
  };
  auto routes = parse_route_table(
      "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\n"
      "eth0\t00000000\t010002C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n"
      "cni0\t"
      + hex("10.244.0.0") + "\t00000000\t0001\t0\t0\t0\t" + hex("255.255.255.0")
      + "\t0\t0\t0\nbroken\n");
  BOOST_REQUIRE(routes.size() == 2u);
  BOOST_TEST(routes[0].mask == 0u);
  BOOST_TEST(routes[1].address == number_of("10.244.0.0"));
  BOOST_TEST(routes[1].mask == 0xffffff00u);
  BOOST_TEST(parse_route_table("").empty());
}

BOOST_AUTO_TEST_SUITE_END()
