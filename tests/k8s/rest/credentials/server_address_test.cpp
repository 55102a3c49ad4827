#include "k8s/rest/credentials/server_address.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s::rest;

BOOST_AUTO_TEST_SUITE(server_address_test)

BOOST_AUTO_TEST_CASE(an_address_has_the_parts_of_its_url) {
  const struct {
    const char* url;
    bool tls;
    const char *host, *port, *authority, *base_path;
  } table[] = {
      {"https://h:6443", true, "h", "6443", "h:6443", ""},
      {"https://h", true, "h", "443", "h", ""},
      {"http://h", false, "h", "80", "h", ""},
      {"http://h/a/b", false, "h", "80", "h", "/a/b"},
      {"https://h:1/a", true, "h", "1", "h:1", "/a"},
      {"https://[::1]:6443", true, "::1", "6443", "[::1]:6443", ""},
      {"https://[::1]/a", true, "::1", "443", "[::1]", "/a"},
      {"https://[fe80::1%25eth0]:6443", true, "fe80::1%eth0", "6443",
       "[fe80::1]:6443", ""},
      {"h:80", false, "h", "80", "h:80", ""},
      {"", false, "", "80", "", ""},
  };
  for (const auto& row : table) {
    auto a = parse_server_address_unchecked(row.url);
    BOOST_TEST_CONTEXT(row.url) {
      BOOST_TEST(a.tls == row.tls);
      BOOST_TEST(a.host == row.host);
      BOOST_TEST(a.port == row.port);
      BOOST_TEST(a.authority == row.authority);
      BOOST_TEST(a.base_path == row.base_path);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_certificate_names_no_zone) {
  auto a = parse_server_address_unchecked("https://[fe80::1%25eth0]:6443");
  BOOST_TEST(a.certificate_name() == "fe80::1");
  BOOST_TEST(parse_server_address_unchecked("https://h:1").certificate_name()
             == "h");
}

BOOST_AUTO_TEST_CASE(what_can_be_connected_to_is_told_from_what_cannot) {
  const std::pair<const char*, bool> table[] = {
      {"https://h:6443", true},     {"http://h", true},
      {"https://[::1]:6443", true}, {"https://[fe80::1%25eth0]:6443", true},
      {"https://10.0.0.1/a", true}, {"h:6443", false},
      {"ftp://h", false},           {"https://", false},
      {"https://h:", false},        {"https://h:a", false},
      {"https://a:b:1", false},     {"https://::1:6443", false},
      {"https://[::1", false},      {"", false},
  };
  for (auto [url, usable] : table)
    BOOST_TEST(is_usable_server_url(url) == usable, url);
}

BOOST_AUTO_TEST_SUITE_END()
