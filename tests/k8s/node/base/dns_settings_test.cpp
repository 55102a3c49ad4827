#include "k8s/node/base/dns_settings.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::node;

BOOST_AUTO_TEST_SUITE(dns_settings_test)

namespace {

json pod_with(const char* spec) {
  return {{"metadata", {{"name", "p"}, {"namespace", "n"}}},
          {"spec", json::parse(spec)}};
}

std::string resolv_conf(const char* spec) {
  return make_resolv_conf(pod_with(spec), "x.y", "10.244.0.1");
}

} // namespace

BOOST_AUTO_TEST_CASE(dns_config_is_added_to_the_clusters_settings) {
  const std::string server = "nameserver 10.244.0.1\n";
  const std::string search = "search n.svc.x.y svc.x.y x.y";
  struct {
    const char* spec;
    std::string rest;
  } rows[] = {
      {"{}", search + "\noptions ndots:5\n"},
      {R"({"dnsPolicy": "None"})", search + "\noptions ndots:5\n"},
      {R"({"dnsPolicy": "ClusterFirstWithHostNet", "dnsConfig": {}})",
       search + "\noptions ndots:5\n"},
      {R"({"dnsConfig": {"searches": ["j.n.svc.x.y", "x.y"],
           "nameservers": ["1.2.3.4"]}})",
       search + " j.n.svc.x.y\noptions ndots:5\n"},
      {R"({"dnsConfig": {"options": [{"name": "ndots", "value": "2"},
           {"name": "edns0"}]}})",
       search + "\noptions ndots:2 edns0\n"},
      // What would be more than a word.
      {R"({"dnsConfig": {"searches": ["a\nnameserver 6.6.6.6", "", 7],
           "options": [{"name": "a b"}, {"value": "1"}]}})",
       search + "\noptions ndots:5\n"},
      {R"({"dnsConfig": "no object"})", search + "\noptions ndots:5\n"},
  };
  for (const auto& row : rows)
    BOOST_TEST(resolv_conf(row.spec) == server + row.rest, row.spec);
}

BOOST_AUTO_TEST_CASE(searches_are_limited) {
  auto p = pod_with(R"({"dnsConfig": {"searches": []}})");
  for (int i = 0; i < 50; ++i)
    p["spec"]["dnsConfig"]["searches"].push_back("s" + std::to_string(i));
  BOOST_TEST(dns_searches(p).size() == 32u);
  BOOST_TEST(dns_searches(p).at(31) == "s31");
}

BOOST_AUTO_TEST_CASE(a_pod_with_a_subdomain_has_a_full_name) {
  BOOST_TEST(full_host_name(pod_with("{}"), "h", "x.y") == "");
  BOOST_TEST(full_host_name(pod_with(R"({"subdomain": "s"})"), "h", "x.y")
             == "h.s.n.svc.x.y");
}

BOOST_AUTO_TEST_SUITE_END()
