#include "k8s/node/namespaces/dns_forwarder.hpp"
#include "k8s/node/namespaces/dns_server.hpp"

#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <boost/test/unit_test.hpp>

#include <vector>

using namespace troupe::k8s::node;
namespace asio = boost::asio;
using asio::ip::tcp;
using asio::ip::udp;

BOOST_AUTO_TEST_SUITE(dns_server_test)

namespace {

const auto loopback = asio::ip::address_v4::loopback();

/// A query for the address of "a.b", with this number.
std::string query(unsigned id) {
  return std::string{static_cast<char>(id >> 8), static_cast<char>(id)}
         + std::string("\1\0\0\1\0\0\0\0\0\0\1a\1b\0\0\1\0\1", 19);
}

int code_of(const std::string& response) {
  return response.size() < 12 ? -1 : response[3] & 15;
}

/// A server on 127.0.0.1, and one who asks it by UDP.
struct server_fixture {
  server_fixture()
      : udp_end(io, {loopback, 0})
      , tcp_end(io, {loopback, 0})
      , udp_address(udp_end.local_endpoint())
      , tcp_address(tcp_end.local_endpoint())
      , asker(io, {loopback, 0})
      , server(io, unique_descriptor{udp_end.release()},
               unique_descriptor{tcp_end.release()}) {
    server.set_forwarder(
        [this](const std::string&, dns_server::response_handler respond) {
          forwarded.push_back(std::move(respond));
        });
  }

  void send(unsigned id) {
    asker.send_to(asio::buffer(query(id)), udp_address);
    io.run_one(); // It is the only event.
  }

  std::string receive() {
    std::string text(4096, '\0');
    text.resize(asker.receive(asio::buffer(text)));
    return text;
  }

  asio::io_context io;
  udp::socket udp_end;
  tcp::acceptor tcp_end;
  udp::endpoint udp_address;
  tcp::endpoint tcp_address;
  udp::socket asker;
  std::vector<dns_server::response_handler> forwarded;
  dns_server server;
};

} // namespace

BOOST_FIXTURE_TEST_CASE(what_others_answer_is_passed_on, server_fixture) {
  send(1);
  BOOST_REQUIRE(forwarded.size() == 1u);
  forwarded[0]("their answer");
  BOOST_TEST(receive() == "their answer");
  send(2);
  forwarded[1]({}); // Nobody answers.
  auto failed = receive();
  BOOST_TEST(code_of(failed) == 2);
  BOOST_TEST(failed.substr(0, 2) == query(2).substr(0, 2));
}

BOOST_FIXTURE_TEST_CASE(too_many_at_a_time_fail, server_fixture) {
  for (unsigned i = 0; i < dns_server::most_forwarded; ++i)
    send(i);
  BOOST_TEST(forwarded.size() == dns_server::most_forwarded);
  send(9999);
  BOOST_TEST(code_of(receive()) == 2);
  forwarded[0]("done");
  BOOST_TEST(receive() == "done");
  send(1);
  BOOST_TEST(forwarded.size() == dns_server::most_forwarded + 1);
}

BOOST_FIXTURE_TEST_CASE(a_second_answer_by_tcp_is_not_written, server_fixture) {
  tcp::socket client(io);
  client.connect(tcp_address);
  auto text = query(1);
  asio::write(
      client,
      asio::buffer(std::string{'\0', static_cast<char>(text.size())} + text));
  while (forwarded.empty())
    io.run_one();
  forwarded[0]("first");
  forwarded[0]("second, longer than the first");
  io.poll();
  client.shutdown(tcp::socket::shutdown_send);
  while (io.poll_one() > 0)
    ;
  std::string read(7, '\0');
  asio::read(client, asio::buffer(read));
  BOOST_TEST(read == std::string("\0\5first", 7));
  client.non_blocking(true);
  boost::system::error_code error;
  client.read_some(asio::buffer(read), error);
  BOOST_TEST((error == asio::error::would_block || error == asio::error::eof));
}

BOOST_FIXTURE_TEST_CASE(connections_beyond_the_limit_are_closed,
                        server_fixture) {
  std::vector<tcp::socket> clients;
  for (std::size_t i = 0; i <= dns_server::most_clients; ++i) {
    clients.emplace_back(io);
    clients.back().connect(tcp_address);
    io.run_one();
  }
  char byte = 0;
  boost::system::error_code error;
  clients.back().read_some(asio::buffer(&byte, 1), error);
  BOOST_TEST(error == asio::error::eof);
  clients.front().non_blocking(true);
  clients.front().read_some(asio::buffer(&byte, 1), error);
  BOOST_TEST(error == asio::error::would_block);
}

BOOST_AUTO_TEST_CASE(name_servers_are_asked_one_after_the_other) {
  asio::io_context io;
  udp::socket silent(io, {loopback, 0});
  auto port = silent.local_endpoint().port();
  std::vector<std::string> answers;
  auto keep = [&](const std::string& text) { answers.push_back(text); };
  // 127.0.0.2 has nobody there: the kernel refuses at once.
  make_dns_forwarder(io, {"127.0.0.2", "127.0.0.1"}, port)("question", keep);
  char block[100];
  udp::endpoint from;
  io.run_one();
  auto n = silent.receive_from(asio::buffer(block), from);
  BOOST_TEST(std::string(block, n) == "question");
  silent.send_to(asio::buffer("answer", 6), from);
  io.run();
  BOOST_TEST(answers == std::vector<std::string>{"answer"});

  answers.clear();
  io.restart();
  make_dns_forwarder(io, {"127.0.0.2", "127.0.0.3"}, port)("question", keep);
  io.run();
  BOOST_TEST(answers == std::vector<std::string>{""});
}

BOOST_AUTO_TEST_SUITE_END()
