#include "k8s/general/base64.hpp"
#include "k8s/rest/credentials/proxy_choice.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::rest;

BOOST_AUTO_TEST_SUITE(proxy_choice_test)

BOOST_AUTO_TEST_CASE(a_proxy_has_the_parts_of_its_url) {
  const struct {
    const char* url;
    const char *host, *port, *login, *name;
  } table[] = {
      {"http://p:3128", "p", "3128", nullptr, "p:3128"},
      {"http://p:3128/", "p", "3128", nullptr, "p:3128"},
      {"p:3128", "p", "3128", nullptr, "p:3128"},
      {"http://p", "p", "80", nullptr, "p"},
      {"http://[::1]:3128", "::1", "3128", nullptr, "[::1]:3128"},
      {"http://me:secret@p:1", "p", "1", "me:secret", "p:1"},
      {"http://me@p:1", "p", "1", "me:", "p:1"},
      {"http://m%40e:s%3Ae%zz@p:1", "p", "1", "m@e:s:e%zz", "p:1"},
  };
  for (const auto& row : table) {
    auto p = parse_proxy_url(row.url);
    BOOST_TEST_CONTEXT(row.url) {
      BOOST_REQUIRE(bool(p));
      BOOST_TEST(p->host == row.host);
      BOOST_TEST(p->port == row.port);
      BOOST_TEST(p->name == row.name);
      BOOST_TEST(p->authorization
                 == (row.login ? "Basic " + to_base64(row.login) : ""));
    }
  }
}

BOOST_AUTO_TEST_CASE(what_is_no_proxy_for_us_is_refused_without_its_password) {
  for (const char* url :
       {"socks5://p:1", "https://p:1", "http://", "http://p:a", "http://a:b:c",
        "http://me:secret@", "socks5://me:secret@p",
        "http://me:secret@p\r\nX:", "http://::1:80"}) {
    auto p = parse_proxy_url(url);
    BOOST_TEST_CONTEXT(url) {
      BOOST_REQUIRE(!p);
      BOOST_TEST(p.error().message.find("http://HOST:PORT")
                 != std::string::npos);
      BOOST_TEST(p.error().message.find("secret") == std::string::npos);
    }
  }
}

// Rules as in kubectl.
BOOST_AUTO_TEST_CASE(no_proxy_names_what_is_reached_directly) {
  const struct {
    const char *server, *no_proxy;
    bool direct;
  } table[] = {
      {"https://api.corp:6443", "", false},
      {"http://api.corp:6443", "", true}, // HTTPS_PROXY is not for it.
      {"https://localhost:6443", "", true},
      {"https://127.0.0.1:6443", "", true},
      {"https://127.8.8.8:6443", "", true},
      {"https://[::1]:6443", "", true},
      {"https://api.corp:6443", "*", true},
      {"https://api.corp:6443", "other, api.corp", true},
      {"https://API.corp:6443", "api.CORP", true},
      {"https://api.corp:6443", "corp", true},
      {"https://api.corp:6443", ".corp", true},
      {"https://api.corp:6443", "*.corp", true},
      {"https://corp:6443", "corp", true},
      {"https://corp:6443", ".corp", false},
      {"https://corp:6443", "*.corp", false},
      {"https://api.othercorp:6443", "corp", false},
      {"https://api.corp:6443", "api.corp:6443", true},
      {"https://api.corp:6443", "api.corp:443", false},
      {"https://api.corp", "api.corp:443", true},
      {"https://api.corp:6443", "api", false},
      {"https://api.corp:6443", " , ,", false},
      {"https://10.1.2.3:6443", "10.0.0.0/8", true},
      {"https://10.1.2.3:6443", "10.1.2.3/32", true},
      {"https://11.1.2.3:6443", "10.0.0.0/8", false},
      {"https://11.1.2.3:6443", "0.0.0.0/0", true},
      {"https://10.1.2.3:6443", "10.0.0.0/33", false},
      {"https://10.1.2.3:6443", "10.0.0.0/x", false},
      {"https://10.1.2.3:6443", "10.1.2.3", true},
      {"https://10.1.2.3:6443", "10.1.2.3:6443", true},
      {"https://10.1.2.3:6443", "10.1.2.3:1", false},
      {"https://10.1.2.3:6443", "10.1.2.4", false},
      {"https://[fd00::1]:6443", "fd00::1", true},
      {"https://[fd00::1]:6443", "[fd00::1]", true},
      {"https://[fd00::1]:6443", "[fd00::1]:6443", true},
      {"https://[fd00::1]:6443", "[fd00::1]:1", false},
      {"https://[fd00::1]:6443", "fd00:0::1", true},
      {"https://[fd00::1]:6443", "fd00::/8", true},
      {"https://[fe80::1]:6443", "fd00::/8", false},
      {"https://[::ffff:10.1.2.3]:6443", "10.0.0.0/8", true},
      {"https://10.1.2.3:6443", "fd00::/8", false},
  };
  for (const auto& row : table) {
    auto chosen = choose_proxy(row.server, {"http://p:1", row.no_proxy});
    BOOST_TEST(chosen == (row.direct ? "" : "http://p:1"),
               row.server << " with " << row.no_proxy);
  }
  BOOST_TEST(choose_proxy("https://h", {"", ""}) == "");
}

BOOST_AUTO_TEST_SUITE_END()
