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

BOOST_AUTO_TEST_SUITE_END()
