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
  BOOST_TEST(!b.current().here);
  BOOST_TEST(b.current().address == "");

  a.observe(true, lease_of(a, "a"));
  b.observe(false, lease_of(a, "a"));
  BOOST_TEST(a.current().here);
  BOOST_TEST(!b.current().here);
  BOOST_TEST(b.current().address == "10.0.0.1:1");
  BOOST_TEST(a.is_forwarded(b.current().token));
  BOOST_TEST(!b.is_forwarded(b.current().token));

  // Released; then taken by b, before a knows.
  b.observe(false, lease_of(a, ""));
  BOOST_TEST(b.current().address == "");
  a.observe(false, lease_of(a, "a"));
  BOOST_TEST(a.current().address == "");
}

BOOST_AUTO_TEST_CASE(leases_of_others_name_nobody) {
  di_server_leader a{"", "token"};
  for (const char* lease : {"", "{}", R"({"spec":{"holderIdentity":"x"}})"}) {
    a.observe(false, lease);
    BOOST_TEST(a.current().address == "");
  }
  BOOST_TEST(!a.is_forwarded(""));
}

BOOST_AUTO_TEST_SUITE_END()
