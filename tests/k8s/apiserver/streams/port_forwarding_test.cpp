#include "k8s/http/spdy_frames.hpp"
#include "tests/k8s/apiserver/streaming_fixture.hpp"

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(port_forwarding_test)

namespace {

struct forwarding_fixture : streaming_fixture {
  forwarding_fixture()
      : x(ask("p/portforward", "SPDY/3.1+portforward.k8s.io"))
      , client(*x->client) {}

  std::string open(std::uint32_t stream, const http::spdy_header_map& h) {
    auto payload =
        number(stream, 4) + number(0, 6) + headers.write_header_block(h);
    return number(0x8003, 2) + number(1, 2) + number(0, 1)
           + number(static_cast<std::uint32_t>(payload.size()), 3) + payload;
  }
  static std::string number(std::uint64_t n, int bytes) {
    std::string out;
    for (int i = bytes - 1; i >= 0; --i)
      out += static_cast<char>(n >> (8 * i) & 255);
    return out;
  }
  /// Both streams of connection `id`: the error stream has this number, the
  /// data stream the next odd one.
  std::string open_both(const std::string& id, std::uint32_t stream) {
    auto both = open(
        stream, {{"streamtype", "error"}, {"port", "80"}, {"requestid", id}});
    return both
           + open(stream + 2,
                  {{"streamtype", "data"}, {"port", "80"}, {"requestid", id}});
  }
  /// What has been sent since the last call: data and resets.
  std::string sent() {
    std::string bytes;
    for (const auto& m : std::exchange(client.sent, {}))
      bytes += m;
    std::string out;
    while (bytes.size() >= 8) {
      auto byte = [&](std::size_t i) {
        return static_cast<unsigned char>(bytes[i]);
      };
      auto length =
          static_cast<std::size_t>(byte(5) << 16 | byte(6) << 8 | byte(7));
      if (byte(0) == 0)
        out += std::to_string(byte(3)) + (byte(4) == 1 ? "." : "") + ":"
               + bytes.substr(8, length) + " ";
      else
        out += "type " + std::to_string(byte(3)) + " ";
      bytes.erase(0, 8 + length);
    }
    return out;
  }

  http::spdy_header_writer headers;
  std::shared_ptr<upgrade_recorder> x;
  recorded_client& client;
};

} // namespace

BOOST_FIXTURE_TEST_CASE(a_connection_is_two_streams, forwarding_fixture) {
  client.say(open_both("0", 1));
  BOOST_REQUIRE(node.sessions.size() == 1u);
  auto session = node.sessions.front();
  BOOST_TEST(session->asked == "default/p:80");
  BOOST_TEST(sent() == "type 2 type 2 "); // SYN_REPLY
  client.say(http::format_spdy_data(1, "", true)
             + http::format_spdy_data(3, "a", false)
             + http::format_spdy_data(3, "b", false));
  client.say(http::format_spdy_data(3, "", true));
  BOOST_TEST((session->calls == std::vector<std::string>{"input a"}));
  session->to.on_input_taken();
  session->to.on_input_taken();
  BOOST_TEST((session->calls
              == std::vector<std::string>{"input a", "input b", "close"}));
  session->to.output(output_stream::standard_output, "answer");
  BOOST_TEST(sent() == "3:answer ");
  session->to.end(0);
  BOOST_TEST(sent() == "1.: 3.: ");
  BOOST_TEST(session->is_dropped);
  client.say(http::format_spdy_data(3, "late", false));
  client.say(http::format_spdy_ping(5));
  BOOST_TEST(sent() == "type 6 ");
}

BOOST_FIXTURE_TEST_CASE(an_error_is_told_in_its_stream, forwarding_fixture) {
  client.say(open_both("0", 1));
  client.say(open_both("1", 5));
  sent();
  BOOST_REQUIRE(node.sessions.size() == 2u);
  node.sessions[1]->to.end(failure{ec::unreachable, "refused"});
  BOOST_TEST(sent() == "5.:refused 7.: ");
  BOOST_TEST(!node.sessions[0]->is_dropped);
  client.say(http::format_spdy_refusal(3));
  BOOST_TEST(node.sessions[0]->is_dropped);
}

BOOST_FIXTURE_TEST_CASE(streams_that_mean_nothing_are_reset,
                        forwarding_fixture) {
  const http::spdy_header_map wrong[] = {
      {},
      {{"streamtype", "data"}, {"port", "80"}},
      {{"streamtype", "data"}, {"port", "0"}, {"requestid", "0"}},
      {{"streamtype", "data"}, {"port", "65536"}, {"requestid", "0"}},
      {{"streamtype", "x"}, {"port", "80"}, {"requestid", "0"}},
  };
  std::uint32_t stream = 1;
  for (const auto& h : wrong) {
    client.say(open(stream += 2, h));
    BOOST_TEST(sent() == "type 3 ");
  }
  client.say(open_both("0", 31));
  client.say(open_both("0", 35));
  BOOST_TEST(sent() == "type 2 type 2 type 3 type 3 ");
  BOOST_TEST(node.sessions.size() == 1u);
  client.say(std::string("\x80\x09\0\x01\0\0\0\0", 8));
}

BOOST_FIXTURE_TEST_CASE(a_pod_that_does_not_read_makes_the_client_wait,
                        forwarding_fixture) {
  client.say(open_both("0", 1));
  int messages = 0;
  for (; client.wanted > 0 && messages < 1000; ++messages)
    client.say(http::format_spdy_data(3, std::string(100000, 'x'), false));
  BOOST_TEST(messages > 10);
  BOOST_TEST(messages < 200);
  auto session = node.sessions.front();
  for (int i = 0; i < messages; ++i)
    session->to.on_input_taken();
  BOOST_TEST(client.wanted == 1);
  BOOST_TEST(session->calls.size() == static_cast<std::size_t>(messages));
  // And the other way round.
  client.events.on_drained();
  BOOST_TEST(session->calls.back() != "resume");
  client.backlog = 2u << 20;
  BOOST_TEST(!session->to.is_ready());
  client.backlog = 0;
  client.events.on_drained();
  BOOST_TEST(session->calls.back() == "resume");
  client.leave();
  BOOST_TEST(session->is_dropped);
}

BOOST_AUTO_TEST_SUITE_END()
