#include "actors/di_server/di_server_leader.hpp"
#include "k8s/json.hpp"

#include <boost/test/unit_test.hpp>

using troupe::actors::di_server_leader;
using troupe::k8s::json;

BOOST_AUTO_TEST_SUITE(di_server_leader_test)

namespace {

std::string lease_of(const di_server_leader& who, const char* holder) {
  json annotations = json::object();
  for (const auto& [name, value] : who.annotations())
    annotations[name] = value;
  return json{{"metadata", {{"annotations", annotations}}},
              {"spec", {{"holderIdentity", holder}}}}
      .dump();
}

} // namespace

BOOST_AUTO_TEST_CASE(requests_go_to_the_replica_that_leads) {
  di_server_leader a{"10.0.0.1:1", "token-a"};
  di_server_leader b{"10.0.0.2:2", "token-b"};
  BOOST_TEST(!b.current_route().here);
  BOOST_TEST(b.current_route().address == "");

  a.on_lease_observed(true, lease_of(a, "a"));
  b.on_lease_observed(false, lease_of(a, "a"));
  BOOST_TEST(a.current_route().here);
  BOOST_TEST(!b.current_route().here);
  BOOST_TEST(b.current_route().address == "10.0.0.1:1");
  BOOST_TEST(a.has_forwarding_token(b.current_route().token));
  BOOST_TEST(!b.has_forwarding_token(b.current_route().token));

  // Released; then taken by b, before a knows.
  b.on_lease_observed(false, lease_of(a, ""));
  BOOST_TEST(b.current_route().address == "");
  a.on_lease_observed(false, lease_of(a, "a"));
  BOOST_TEST(a.current_route().address == "");
}

BOOST_AUTO_TEST_CASE(leases_of_others_name_nobody) {
  di_server_leader a{"", "token"};
  for (const char* lease : {"", "{}", R"({"spec":{"holderIdentity":"x"}})"}) {
    a.on_lease_observed(false, lease);
    BOOST_TEST(a.current_route().address == "");
  }
  BOOST_TEST(!a.has_forwarding_token(""));
}

BOOST_AUTO_TEST_SUITE_END()
