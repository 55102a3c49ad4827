#include "k8s/node/namespaces/dns_zone.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s::node;

BOOST_AUTO_TEST_SUITE(dns_zone_test)

namespace {

struct zone_fixture {
  dns_zone zone{{{"a", "w-0", "10.244.1.0", {{"job", "j"}, {"index", "0"}}},
                 {"a", "w-1", "10.244.1.1", {{"job", "j"}, {"index", "1"}}},
                 {"b", "w-0", "10.244.1.2", {{"job", "j"}}}},
                {{"a", "all", {{"job", "j"}}},
                 {"a", "w-1", {{"index", "1"}}},
                 {"a", "none", {{"index", "7"}}}},
                "x.y"};

  /// Addresses or names with blanks between them, or a code, or "" if somebody
  /// else is to be asked.
  std::string ask(const std::string& name, dns_type type = dns_type::a) const {
    dns_query q;
    q.name = name;
    q.type = static_cast<std::uint16_t>(type);
    auto answer = zone.find_answer(q);
    if (!answer)
      return "";
    if (answer->code != dns_code::no_error)
      return "code " + std::to_string(static_cast<int>(answer->code));
    std::string text = "=";
    for (const auto& a : answer->addresses)
      text += " " + a;
    for (const auto& n : answer->names)
      text += " " + n;
    return text;
  }
};

} // namespace

BOOST_FIXTURE_TEST_CASE(services_are_the_pods_that_they_select, zone_fixture) {
  BOOST_TEST(ask("all.a.svc.x.y") == "= 10.244.1.0 10.244.1.1");
  BOOST_TEST(ask("w-1.a.svc.x.y") == "= 10.244.1.1");
  BOOST_TEST(ask("w-0.all.a.svc.x.y") == "= 10.244.1.0");
  BOOST_TEST(ask("10-244-1-2.b.pod.x.y") == "= 10.244.1.2");
  BOOST_TEST(ask("kubernetes.default.svc.x.y") == "= 10.244.0.1");
}

BOOST_AUTO_TEST_CASE(the_host_offers_services_that_pods_do_not) {
  zone_fixture f;
  f.zone = dns_zone{{{"a", "w-0", "10.244.1.0", {{"job", "j"}}}},
                    {{"a", "all", {{"job", "j"}}}, {"a", "elsewhere", {}}},
                    "x.y",
                    {},
                    {"all.a", "elsewhere.a", "di-server.di-system"}};
  BOOST_TEST(f.ask("all.a.svc.x.y") == "= 10.244.1.0");
  BOOST_TEST(f.ask("elsewhere.a.svc.x.y") == "= 10.244.0.1");
  BOOST_TEST(f.ask("di-server.di-system.svc.x.y") == "= 10.244.0.1");
}

BOOST_FIXTURE_TEST_CASE(other_types_of_a_known_name_are_empty, zone_fixture) {
  BOOST_TEST(ask("all.a.svc.x.y", dns_type::aaaa) == "=");
}

BOOST_FIXTURE_TEST_CASE(a_service_without_pods_fails_for_now, zone_fixture) {
  BOOST_TEST(ask("none.a.svc.x.y") == "code 2");
}

BOOST_FIXTURE_TEST_CASE(the_domain_is_ours_and_others_are_not, zone_fixture) {
  BOOST_TEST(ask("all.b.svc.x.y") == "code 3");
  BOOST_TEST(ask("x.y") == "code 3");
  BOOST_TEST(ask("all") == "code 3");
  BOOST_TEST(ask("example.com") == "");
  BOOST_TEST(ask("notx.y") == "");
}

BOOST_FIXTURE_TEST_CASE(addresses_lead_back_to_names, zone_fixture) {
  BOOST_TEST(ask("1.1.244.10.in-addr.arpa", dns_type::ptr)
             == "= w-1.all.a.svc.x.y");
  BOOST_TEST(ask("2.1.244.10.in-addr.arpa", dns_type::ptr)
             == "= 10-244-1-2.b.pod.x.y");
  BOOST_TEST(ask("9.9.244.10.in-addr.arpa", dns_type::ptr) == "code 3");
  BOOST_TEST(ask("1.0.0.127.in-addr.arpa", dns_type::ptr) == "");
}

BOOST_AUTO_TEST_SUITE_END()
