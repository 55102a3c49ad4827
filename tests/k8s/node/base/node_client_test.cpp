#include "k8s/node/base/node_client.hpp"
#include "tests/k8s/recording_api.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::node;

BOOST_AUTO_TEST_SUITE(node_client_test)

BOOST_AUTO_TEST_CASE(a_pod_is_removed_after_a_pause) {
  auto io = std::make_shared<boost::asio::io_context>();
  auto server = std::make_shared<recording_api>();
  node_client client{io, server};
  client.delete_pod_after_pause(pod_named("a"));
  BOOST_TEST(server->calls.empty());
  io->run();
  BOOST_REQUIRE(server->calls.size() == 1u);
  auto body = server->calls[0].body();
  BOOST_TEST(text_at(body, {"preconditions", "uid"}) == "uid-a");
  BOOST_TEST(server->take_paths() == "pods/a");
}

BOOST_AUTO_TEST_CASE(a_call_is_repeated_until_that_cannot_help) {
  const std::pair<std::optional<ec>, bool> rows[] = {
      {std::nullopt, false}, {ec::unreachable, true}, {ec::forbidden, true},
      {ec::exists, false},   {ec::conflict, false},   {ec::not_found, false},
      {ec::invalid, false}};
  for (const auto& [code, repeated] : rows) {
    auto io = std::make_shared<boost::asio::io_context>();
    auto server = std::make_shared<recording_api>();
    node_client client{io, server};
    int answers = 0;
    client.send_with_retries(get({resources::pods, "n", "a"}),
                             [&](const result<std::string>&) { ++answers; });
    server->calls.at(0).answer(code ? result<std::string>{failure{*code, "no"}}
                                    : std::string{"{}"});
    io->run(); // Until the pause is over, if there is one.
    BOOST_TEST(server->calls.size() == (repeated ? 2u : 1u));
    BOOST_TEST(answers == (repeated ? 0 : 1));
    if (!repeated)
      continue;
    server->calls.at(1).answer(std::string{"{}"});
    io->restart();
    io->run();
    BOOST_TEST(answers == 1);
    BOOST_TEST(server->calls.size() == 2u);
  }
}

BOOST_AUTO_TEST_SUITE_END()
