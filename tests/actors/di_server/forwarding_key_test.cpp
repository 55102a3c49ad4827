#include "k8s/general/base64.hpp"
#include "tests/actors/cluster_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(forwarding_key_test)

namespace {

/// Replicas that start one after the other.
struct key_fixture {
  std::shared_ptr<fake_api> api = std::make_shared<fake_api>();
  std::vector<std::string> keys; ///< As they were told.
  operator_fixture op{api};

  key_fixture() {
    op.forwarding = actors::forwarding_key_config{
        "ns", "keys", [this](std::string key) { keys.push_back(key); }};
  }

  void start() {
    op.start();
    op.run_until_idle();
  }

  void restart() {
    op.stop();
    start();
  }

  json secret() const {
    const auto* found = api->find("secrets", "ns/keys");
    return found ? *found : json{};
  }
};

} // namespace

BOOST_FIXTURE_TEST_CASE(the_first_replica_makes_a_key_for_all, key_fixture) {
  start();
  BOOST_REQUIRE(keys.size() == 1u);
  BOOST_TEST(keys[0].size() >= 32u);
  BOOST_TEST(
      k8s::from_base64(secret()["data"]["di-server.key"].get<std::string>())
          .value()
      == keys[0]);
  restart();
  BOOST_REQUIRE(keys.size() == 2u);
  BOOST_TEST(keys[1] == keys[0]);
}

BOOST_FIXTURE_TEST_CASE(what_else_is_in_the_secret_stays, key_fixture) {
  api->create("secrets", {{"apiVersion", "v1"},
                          {"kind", "Secret"},
                          {"metadata", {{"name", "keys"}, {"namespace", "ns"}}},
                          {"data", {{"tls.crt", "YQ=="}}}});
  start();
  BOOST_TEST(keys.size() == 1u);
  BOOST_TEST(secret()["data"]["tls.crt"] == "YQ==");
}

BOOST_FIXTURE_TEST_CASE(a_key_that_changes_is_used, key_fixture) {
  start();
  std::string other(32, 'x');
  api->change("secrets", "ns/keys", [&](json& s) {
    s["data"]["di-server.key"] = k8s::to_base64(other);
  });
  op.advance(11min);
  BOOST_REQUIRE(keys.size() == 2u);
  BOOST_TEST(keys[1] == other);
  // Nothing is told again that has not changed.
  op.advance(1h);
  BOOST_TEST(keys.size() == 2u);
}

BOOST_AUTO_TEST_SUITE_END()
