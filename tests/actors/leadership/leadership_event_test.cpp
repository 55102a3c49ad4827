#include "actors/leadership/leadership_event.hpp"
#include "k8s/json.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;

BOOST_AUTO_TEST_SUITE(leadership_event_test)

BOOST_AUTO_TEST_CASE(the_event_is_about_the_lease_and_names_the_leader) {
  const std::string lease = R"({"metadata":{"name":"lease","namespace":"ns",
    "uid":"u","resourceVersion":"7"}})";
  const k8s::time_point now{std::chrono::seconds{1'770'000'000}};
  auto became = leadership_event_request(lease, "me", true, now);
  BOOST_TEST((became.method == k8s::verb::create));
  auto event = k8s::parse_json_or_null(became.body);
  auto text = [&](auto... path) { return k8s::text_at(event, {path...}); };
  BOOST_TEST(text("metadata", "namespace") == "ns");
  BOOST_TEST(text("involvedObject", "apiVersion") == "coordination.k8s.io/v1");
  BOOST_TEST(text("involvedObject", "kind") == "Lease");
  BOOST_TEST(text("involvedObject", "name") == "lease");
  BOOST_TEST(text("involvedObject", "uid") == "u");
  BOOST_TEST(text("reason") == "LeaderElection");
  BOOST_TEST(text("message") == "me became leader");
  BOOST_TEST(text("source", "component") == "me");
  BOOST_TEST(text("lastTimestamp") == "2026-02-02T02:40:00Z");
  auto later = leadership_event_request(lease, "me", false,
                                        now + std::chrono::seconds{1});
  auto stopped = k8s::parse_json_or_null(later.body);
  BOOST_TEST(k8s::text_at(stopped, {"message"}) == "me stopped leading");
  BOOST_TEST(k8s::text_at(stopped, {"metadata", "name"})
             != text("metadata", "name"));
}

BOOST_AUTO_TEST_SUITE_END()
