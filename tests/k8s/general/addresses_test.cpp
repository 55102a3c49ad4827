#include "k8s/general/addresses.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;

BOOST_AUTO_TEST_SUITE(addresses_test)

BOOST_AUTO_TEST_CASE(the_host_of_a_url_has_its_port) {
  struct row {
    const char* url;
    const char* host;
  } rows[] = {{"https://10.0.0.1:6443/path", "10.0.0.1:6443"},
              {"https://10.0.0.1:6443", "10.0.0.1:6443"},
              {"http://localhost:8001", "localhost:8001"},
              {"https://[fd00::1]:443/", "[fd00::1]:443"},
              {"host:1/x", "host:1"},
              {"", ""}};
  for (const auto& r : rows)
    BOOST_TEST(host_and_port_of_url(r.url) == r.host);
}

BOOST_AUTO_TEST_CASE(host_and_port_are_told_apart) {
  struct row {
    const char* address;
    const char* host;
    const char* port;
  } rows[] = {{"10.0.0.1:6443", "10.0.0.1", "6443"},
              {"[fd00::1]:443", "fd00::1", "443"},
              {"[fd00::1]", "fd00::1", ""},
              {"[::]:0", "::", "0"},
              {":8443", "", "8443"},
              {"host", "host", ""},
              {"host:", "host", ""},
              {"", "", ""}};
  for (const auto& r : rows) {
    auto [host, port] = split_host_and_port(r.address);
    BOOST_TEST(host == r.host, r.address);
    BOOST_TEST(port == r.port, r.address);
  }
}

BOOST_AUTO_TEST_CASE(only_an_address_or_localhost_is_of_the_loopback) {
  for (const char* host : {"localhost", "127.0.0.1", "127.1.2.3", "::1",
                           "::ffff:127.0.0.1", "::ffff:7f01:203"})
    BOOST_TEST(is_localhost_or_loopback(host), host);
  for (const char* host :
       {"", "127.example.org", "127.0.0.1.example.org", "127.", "127.0.0.1x",
        "localhost.example.org", "128.0.0.1", "0.0.0.0", "10.0.0.1",
        "::", "::ffff:10.0.0.1", "::2", "fd00::1", "[::1]"})
    BOOST_TEST(!is_localhost_or_loopback(host), host);
}

BOOST_AUTO_TEST_SUITE_END()
