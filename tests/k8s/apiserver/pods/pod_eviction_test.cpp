#include "tests/k8s/apiserver/server_fixture.hpp"

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(pod_eviction_test)

namespace {

json eviction(const std::string& name, json options = json::object()) {
  return {{"apiVersion", "policy/v1"},
          {"kind", "Eviction"},
          {"metadata", {{"name", name}}},
          {"deleteOptions", std::move(options)}};
}

} // namespace

BOOST_AUTO_TEST_CASE(an_eviction_deletes_the_pod) {
  server_fixture s;
  s.post(pods, pod("a"));
  s.post(pods + "/a/binding", {{"target", {{"name", "n"}}}});
  BOOST_TEST(s.post(pods + "/a/eviction?dryRun=All", eviction("a")).status
             == 201);
  BOOST_TEST(s.get(pods + "/a")["/metadata/deletionTimestamp"].is_null());
  auto a = s.post(pods + "/a/eviction", eviction("a"));
  BOOST_TEST(a.status == 201);
  BOOST_TEST(a["/status"] == "Success");
  BOOST_TEST(s.get(pods + "/a")["/metadata/deletionGracePeriodSeconds"] == 30);
  s.post(pods + "/a/eviction", eviction("a", {{"gracePeriodSeconds", 0}}));
  BOOST_TEST(s.get(pods + "/a").status == 404);
}

BOOST_AUTO_TEST_CASE(options_that_are_null_are_none) {
  server_fixture s;
  s.post(pods, pod("a"));
  BOOST_TEST(s.post(pods + "/a/eviction", eviction("a", nullptr)).status
             == 201);
  BOOST_TEST(s.get(pods + "/a").status == 404);
}

BOOST_AUTO_TEST_CASE(evictions_that_are_refused) {
  server_fixture s;
  s.post(pods, pod("a"));
  BOOST_TEST(s.post(pods + "/none/eviction", eviction("none")).status == 404);
  BOOST_TEST(s.post(pods + "/a/eviction", eviction("b")).status == 400);
  BOOST_TEST(s.post(pods + "/a/eviction", pod("a")).status == 400);
  BOOST_TEST(s.post(pods + "/a/eviction", eviction("a", "none")).status == 400);
  auto stale = eviction("a", {{"preconditions", {{"uid", "other"}}}});
  BOOST_TEST(s.post(pods + "/a/eviction", stale).status == 409);
  BOOST_TEST(s.get(pods + "/a").status == 200);
}

BOOST_AUTO_TEST_SUITE_END()
