#include "k8s/apiserver/streams/port_channels.hpp"
#include "tests/k8s/apiserver/streaming_fixture.hpp"

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(port_channels_test)

namespace {

using texts = std::vector<std::string>;

struct channels_fixture : streaming_fixture {
  channels_fixture()
      : x(ask("p/portforward?ports=80&ports=8080", "v4.channel.k8s.io"))
      , client(*x->client) {}

  texts sent() { return std::exchange(client.sent, {}); }

  std::shared_ptr<upgrade_recorder> x;
  recorded_client& client;
};

/// A message on a channel.
std::string on(char channel, const std::string& bytes) {
  return channel + bytes;
}

} // namespace

BOOST_AUTO_TEST_CASE(ports_are_numbers_or_lists_of_them) {
  struct row {
    texts values;
    std::vector<std::uint16_t> ports; ///< None: refused.
  } rows[] = {
      {{"80"}, {80}},
      {{"80,81"}, {80, 81}},
      {{"80", "65535"}, {80, 65535}},
      {{"80", "80"}, {80, 80}},
      {{}, {}},
      {{""}, {}},
      {{"0"}, {}},
      {{"65536"}, {}},
      {{"-1"}, {}},
      {{"80,x"}, {}},
      {{"80x"}, {}},
      {texts(129, "80"), {}},
  };
  for (const auto& r : rows) {
    auto got = parse_forwarded_ports(r.values);
    auto* ports = got ? &*got : nullptr;
    BOOST_TEST((ports ? *ports : std::vector<std::uint16_t>{}) == r.ports,
               boost::test_tools::per_element());
  }
}

BOOST_FIXTURE_TEST_CASE(each_port_has_two_channels, channels_fixture) {
  BOOST_TEST(x->subprotocol == "v4.channel.k8s.io");
  BOOST_REQUIRE(node.sessions.size() == 2u);
  BOOST_TEST(node.sessions[0]->asked == "default/p:80");
  BOOST_TEST(node.sessions[1]->asked == "default/p:8080");
  const std::string low("\x50\0", 2), high("\x90\x1f", 2);
  BOOST_TEST(
      (sent() == texts{on(0, low), on(1, low), on(2, high), on(3, high)}));
  client.say(on(2, "a"));
  client.say(on(2, "b"));
  client.say(on(0, "c"));
  client.say(on(1, "not for anybody"));
  client.say(on(8, "not there"));
  client.say(on(0, ""));
  client.say("");
  BOOST_TEST((node.sessions[0]->calls == texts{"input c"}));
  BOOST_TEST((node.sessions[1]->calls == texts{"input a"}));
  node.sessions[1]->to.on_input_taken();
  BOOST_TEST((node.sessions[1]->calls == texts{"input a", "input b"}));
  node.sessions[1]->to.output(output_stream::standard_output, "answer");
  BOOST_TEST((sent() == texts{on(2, "answer")}));
}

BOOST_FIXTURE_TEST_CASE(it_is_closed_after_the_last_connection,
                        channels_fixture) {
  sent();
  node.sessions[0]->to.end(failure{ec::unreachable, "refused"});
  BOOST_TEST((sent() == texts{on(1, "refused")}));
  BOOST_TEST(node.sessions[0]->is_dropped);
  BOOST_TEST(!client.is_closed);
  client.say(on(0, "late"));
  node.sessions[1]->to.end(0);
  BOOST_TEST(sent().empty());
  BOOST_TEST(client.is_closed);
}

BOOST_FIXTURE_TEST_CASE(both_ends_can_make_the_other_wait, channels_fixture) {
  int messages = 0;
  for (; client.wanted > 0 && messages < 1000; ++messages)
    client.say(on(0, std::string(100000, 'x')));
  BOOST_TEST(messages > 10);
  BOOST_TEST(messages < 200);
  auto session = node.sessions.front();
  for (int i = 0; i < messages; ++i)
    session->to.on_input_taken();
  BOOST_TEST(client.wanted == 1);
  client.backlog = 2u << 20;
  BOOST_TEST(!session->to.is_ready());
  client.backlog = 0;
  client.events.on_drained();
  BOOST_TEST(session->calls.back() == "resume");
  client.leave();
  BOOST_TEST(session->is_dropped);
}

BOOST_FIXTURE_TEST_CASE(ports_have_to_be_named, streaming_fixture) {
  auto x = ask("p/portforward", "v4.channel.k8s.io");
  BOOST_TEST(x->answer.status == 400);
  BOOST_TEST(x->message() == "query parameter \"ports\" is required");
  BOOST_TEST(ask("p/portforward?ports=x", "v4.channel.k8s.io")->message()
             == "ports: \"x\" is not a port between 1 and 65535");
  BOOST_TEST(node.sessions.empty());
}

BOOST_AUTO_TEST_SUITE_END()
