#include "k8s/general/architecture.hpp"
#include "k8s/node/base/node_registration.hpp"
#include "tests/k8s/recording_api.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::node;

BOOST_AUTO_TEST_SUITE(node_registration_test)

namespace {

struct registration_fixture {
  std::shared_ptr<boost::asio::io_context> io =
      std::make_shared<boost::asio::io_context>();
  std::shared_ptr<recording_api> server = std::make_shared<recording_api>();
  node_client client{io, server};
  node_options options;

  registration_fixture() {
    register_node(client, options, "Simulated", "nothing runs");
  }

  /// Answers the only call, whose path it returns, and lets pauses pass.
  std::string answer(result<std::string> with) {
    BOOST_REQUIRE(server->calls.size() == 1u);
    auto call = server->calls.at(0);
    server->calls.clear();
    call.answer(std::move(with));
    io->restart();
    io->run();
    return call.sent.path;
  }
};

const failure unreachable{ec::unreachable, "no"};

} // namespace

BOOST_FIXTURE_TEST_CASE(the_node_is_made_and_gets_its_status,
                        registration_fixture) {
  BOOST_TEST(answer(std::string{"{}"}) == "/api/v1/nodes");
  auto status = server->calls.at(0).body()["status"];
  BOOST_TEST(text_at(status["conditions"][0], {"reason"}) == "Simulated");
  BOOST_TEST(text_at(status["nodeInfo"], {"architecture"})
             == host_architecture());
  BOOST_TEST(answer(std::string{"{}"})
             == "/api/v1/nodes/" + options.name + "/status");
  BOOST_TEST(server->calls.empty());
}

BOOST_FIXTURE_TEST_CASE(a_node_that_is_there_gets_its_status,
                        registration_fixture) {
  answer(failure{ec::exists, "it exists"});
  BOOST_TEST(answer(std::string{"{}"})
             == "/api/v1/nodes/" + options.name + "/status");
}

BOOST_FIXTURE_TEST_CASE(what_fails_for_the_time_being_is_repeated,
                        registration_fixture) {
  BOOST_TEST(answer(unreachable) == "/api/v1/nodes");
  BOOST_TEST(answer(std::string{"{}"}) == "/api/v1/nodes");
  const auto status_path = "/api/v1/nodes/" + options.name + "/status";
  BOOST_TEST(answer(unreachable) == status_path);
  BOOST_TEST(answer(std::string{"{}"}) == status_path);
  BOOST_TEST(server->calls.empty());
}

BOOST_AUTO_TEST_SUITE_END()
