// Tokens of the embedded API server, which signs, reviews and ages them.
#include "actors/reports/token_claims.hpp"
#include "tests/actors/reports/intake_fixture.hpp"
#include "tests/k8s/apiserver/server_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using k8s::apiserver::server_fixture;

BOOST_AUTO_TEST_SUITE(token_expiry_test)

namespace {

struct expiry_fixture : intake_fixture {
  server_fixture server;
  std::string uid;

  expiry_fixture() {
    server.post("/api/v1/namespaces", {{"metadata", {{"name", "ns"}}}});
    server.post("/api/v1/namespaces/ns/serviceaccounts",
                {{"metadata", {{"name", "default"}}}});
    auto pod = k8s::apiserver::pod("p");
    pod["metadata"]["namespace"] = "ns";
    pod["spec"]["serviceAccountName"] = "default";
    uid = server.post("/api/v1/namespaces/ns/pods", pod)["/metadata/uid"];
  }

  std::string make_token(int seconds) {
    json spec{{"audiences", {audience}}, {"expirationSeconds", seconds}};
    spec["boundObjectRef"] = {
        {"apiVersion", "v1"}, {"kind", "Pod"}, {"name", "p"}, {"uid", uid}};
    auto made =
        server.post("/api/v1/namespaces/ns/serviceaccounts/default/token",
                    {{"apiVersion", "authentication.k8s.io/v1"},
                     {"kind", "TokenRequest"},
                     {"spec", spec}});
    BOOST_REQUIRE(made.status == 201);
    return made["/status/token"];
  }

  /// The status of the answer. The server reviews the token, unless a job says
  /// before that it is nobody's.
  int send_with(const std::string& token) {
    auto back = report(request(token));
    if (waits(review)) {
      auto call = find_call(review).request;
      auto answered = server.post(call->path, json::parse(call->body));
      BOOST_TEST(answered.status == 201);
      answer(review, answered.body.dump());
    }
    return back->status();
  }
};

} // namespace

BOOST_FIXTURE_TEST_CASE(a_token_that_has_expired_is_refused, expiry_fixture) {
  auto token = make_token(600);
  BOOST_TEST(actors::claimed_pod_uid(token, audience) == uid);
  server.now += std::chrono::seconds{599};
  BOOST_TEST(send_with(token) == 200);
  auto late = make_token(600);
  server.now += std::chrono::seconds{600};
  BOOST_TEST(send_with(late) == 403);
  BOOST_TEST(send_with(make_token(600)) == 200);
  BOOST_TEST(asked_about == (strings{uid, uid, uid}),
             boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(what_is_changed_in_a_token_is_noticed, expiry_fixture) {
  auto token = make_token(3600);
  auto signature = token.substr(token.rfind('.') + 1);
  BOOST_TEST(send_with(token_of(uid, audience, signature)) == 403);
  BOOST_TEST(send_with(token) == 200);
  auto next = make_token(3600);
  server.drop("/api/v1/namespaces/ns/pods/p", {{"gracePeriodSeconds", 0}});
  BOOST_TEST(send_with(next) == 403);
}

BOOST_AUTO_TEST_SUITE_END()
