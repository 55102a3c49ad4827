#include "k8s/rest/server_connector.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::rest;

BOOST_AUTO_TEST_SUITE(server_connector_test)

BOOST_AUTO_TEST_CASE(what_was_cancelled_is_given_up_whatever_came_of_it) {
  // A name, and an address, which needs no resolver.
  for (const char* server : {"http://localhost:1", "http://127.0.0.1:1"}) {
    boost::asio::io_context io;
    client_config config;
    config.server = server;
    server_endpoint endpoint{config, {}};
    byte_stream stream{io.get_executor(), nullptr};
    server_connector connector{io.get_executor(), endpoint};
    std::string why;
    connector.open(stream, [&](const std::string& reason) { why = reason; });
    connector.cancel();
    io.run();
    BOOST_TEST(why == "given up", server);
  }
}

BOOST_AUTO_TEST_SUITE_END()
