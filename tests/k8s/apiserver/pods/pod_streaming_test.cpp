#include "tests/k8s/apiserver/streaming_fixture.hpp"

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(pod_streaming_test)

namespace {

constexpr auto v5 = "v5.channel.k8s.io";
constexpr auto spdy = "SPDY/3.1+portforward.k8s.io";

std::string status_of(const recorded_client& c) {
  return c.sent.empty() ? "" : c.sent.back().substr(1);
}

} // namespace

BOOST_FIXTURE_TEST_CASE(a_request_says_what_is_run_where, streaming_fixture) {
  struct row {
    const char* path;
    const char* asked;
  };
  // clang-format off
  const row rows[] = {
      {"p/exec?command=sh&command=-c&command=a%20b&container=b&stdout=1", "exec default/p/b 'sh' '-c' 'a b' out"},
      {"p/exec?command=x&stdin=true&stderr=true&tty=true", "exec default/p/a 'x' in err tty"},
      {"annotated/exec?command=x&stdout=true", "exec default/annotated/b 'x' out"},
      {"p/attach?stdout=true&stderr=true&container=a", "attach default/p/a out err"},
  };
  // clang-format on
  for (const auto& r : rows) {
    auto x = ask(r.path, "v9.channel.k8s.io, v5.channel.k8s.io");
    BOOST_REQUIRE_MESSAGE(!node.sessions.empty(), x->answer.body);
    BOOST_TEST(node.sessions.back()->asked == r.asked);
    BOOST_TEST(x->subprotocol == v5);
  }
}

BOOST_FIXTURE_TEST_CASE(what_cannot_be_done_is_refused_without_a_websocket,
                        streaming_fixture) {
  struct row {
    const char* path;
    const char* offered; ///< "" is a POST without a WebSocket.
    int status;
    const char* message;
  };
  // clang-format off
  const row rows[] = {
      {"q/exec?command=x&stdout=1", v5, 404, "pods \"q\" not found"},
      {"q/exec?command=x&stdout=1", "", 404, "pods \"q\" not found"},
      {"q/portforward", spdy, 404, "pods \"q\" not found"},
      {"p/exec?command=x&stdout=1&container=c", v5, 400, "container c is not valid for pod p"},
      {"waiting/exec?command=x&stdout=1", v5, 404, "container not found (\"a\")"},
      {"waiting/attach?stdout=1", "", 404, "container not found (\"a\")"},
      {"unbound/exec?command=x&stdout=1", v5, 400, "pod unbound does not have a host assigned"},
      {"unbound/portforward", spdy, 400, "pod unbound does not have a host assigned"},
      {"p/exec?stdout=1", v5, 400, "you must specify at least 1 command for the container"},
      {"p/exec?command=x", v5, 400, "you must specify at least 1 of stdin, stdout, stderr"},
      {"p/exec?command=x&stdout=1", "", 400, "exec is served over WebSocket only"},
      {"p/portforward", "", 400, "portforward is served over WebSocket only"},
      {"p/exec?command=x&stdout=1", "channel.k8s.io", 400, "unable to negotiate protocol: client supports [channel.k8s.io], server accepts [v5.channel.k8s.io"},
      {"p/portforward", v5, 400, "unable to negotiate protocol: client supports [v5.channel.k8s.io], server accepts [SPDY"},
  };
  // clang-format on
  for (const auto& r : rows) {
    auto x = ask(r.path, r.offered, *r.offered ? "GET" : "POST");
    BOOST_TEST(x->answer.status == r.status, r.path);
    BOOST_TEST(x->message().find(r.message) != std::string::npos,
               x->message() + " for " + r.path);
  }
  core.set_streaming_runtime(nullptr);
  auto x = ask("p/exec?command=x&stdout=1", v5);
  BOOST_TEST(x->answer.status == 400);
  BOOST_TEST(x->message().find("not supported on simulated nodes")
             != std::string::npos);
  BOOST_TEST(node.sessions.empty());
  BOOST_TEST(get(pods + "/p/exec?command=x&stdout=1").status == 400);
}

BOOST_FIXTURE_TEST_CASE(channels_carry_streams_and_the_result,
                        streaming_fixture) {
  auto x = ask("p/exec?command=x&stdin=1&stdout=1&stderr=1", v5);
  auto& client = *x->client;
  auto session = node.sessions.back();
  BOOST_TEST(client.sent.front() == "\x01");
  client.say(std::string(1, '\0') + "bytes");
  BOOST_TEST(client.wanted == 0); // Until they have been passed on.
  session->to.on_input_taken();
  client.say(std::string("\0", 1));
  client.say("\x04{\"Width\":80,\"Height\":24}");
  client.say("\x04{\"Width\":\"x\",\"Height\":-1}");
  client.say("\x04[");
  client.say("");
  client.say("\x09unknown");
  client.say(std::string("\xff\0", 2));
  BOOST_TEST(
      (session->calls
       == std::vector<std::string>{"input bytes", "resize 80x24", "resize 0x0",
                                   "resize 0x0", "close"}));
  session->to.output(output_stream::standard_output, "out");
  session->to.output(output_stream::standard_error, "err");
  BOOST_TEST(client.sent[1] == "\x01out");
  BOOST_TEST(client.sent[2]
             == "\x02"
                "err");
  BOOST_TEST(session->to.is_ready());
  client.backlog = 2u << 20;
  BOOST_TEST(!session->to.is_ready());
  client.events.on_drained();
  BOOST_TEST(session->calls.back() == "resume");
  session->to.end(3);
  auto status = json::parse(status_of(client));
  BOOST_TEST(client.sent.back()[0] == '\x03');
  BOOST_TEST(text_at(status, {"reason"}) == "NonZeroExitCode");
  BOOST_TEST(text_at(status["details"]["causes"][0], {"reason"}) == "ExitCode");
  BOOST_TEST(text_at(status["details"]["causes"][0], {"message"}) == "3");
  BOOST_TEST(client.is_closed);
  BOOST_TEST(!session->is_dropped);
  client.leave();
  BOOST_TEST(session->is_dropped);
}

BOOST_FIXTURE_TEST_CASE(results_are_statuses, streaming_fixture) {
  auto x = ask("p/exec?command=x&stdout=1", "v4.channel.k8s.io");
  x->client->say(std::string("\xff\0", 2)); // Of version 5 only.
  BOOST_TEST(node.sessions.back()->calls.empty());
  node.sessions.back()->to.end(0);
  BOOST_TEST(text_at(json::parse(status_of(*x->client)), {"status"})
             == "Success");
  x = ask("p/exec?command=x&stdout=1", v5);
  node.sessions.back()->to.end(failure{ec::invalid, "no such program"});
  auto status = json::parse(status_of(*x->client));
  BOOST_TEST(text_at(status, {"message"})
             == "Internal error occurred: no such program");
  BOOST_TEST(text_at(status, {"reason"}) == "InternalError");
}

BOOST_AUTO_TEST_SUITE_END()
