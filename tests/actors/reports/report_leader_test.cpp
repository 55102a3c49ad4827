#include "actors/reports/report_leader.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

using namespace troupe::actors;
using nlohmann::json;

BOOST_AUTO_TEST_SUITE(report_leader_test)

namespace {

std::string lease(const char* holder, const char* address) {
  return json{
      {"metadata",
       {{"annotations", {{"training.kubeflow.org/reports-address", address}}}}},
      {"spec", {{"holderIdentity", holder}}}}
      .dump();
}

} // namespace

BOOST_AUTO_TEST_CASE(the_leader_is_where_the_lease_says) {
  report_leader l{"10.0.0.1:9443"};
  BOOST_TEST(l.lease_annotations().at("training.kubeflow.org/reports-address")
             == "10.0.0.1:9443");
  BOOST_TEST(!l.current_place().here);
  BOOST_TEST(l.current_place().address == "");
  l.on_lease_observed(false, lease("b", "10.0.0.2:9443"));
  BOOST_TEST(l.current_place().address == "10.0.0.2:9443");
  l.on_lease_observed(true, lease("a", "10.0.0.1:9443"));
  BOOST_TEST(l.current_place().here);
  // Left behind by this replica; released; without the annotation.
  l.on_lease_observed(false, lease("b", "10.0.0.1:9443"));
  BOOST_TEST(l.current_place().address == "");
  l.on_lease_observed(false, lease("", "10.0.0.2:9443"));
  BOOST_TEST(l.current_place().address == "");
  l.on_lease_observed(false, "{}");
  BOOST_TEST(l.current_place().address == "");
}

BOOST_AUTO_TEST_SUITE_END()
