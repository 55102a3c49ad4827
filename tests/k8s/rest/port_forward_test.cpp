#include "k8s/rest/port_forward.hpp"
#include "tests/k8s/rest/rest_fixture.hpp"

#include <boost/test/unit_test.hpp>
#include <openssl/evp.h>
#include <openssl/sha.h>

using namespace troupe::k8s;
using namespace troupe::k8s::rest;
using namespace std::chrono_literals;
using strings = std::vector<std::string>;

BOOST_AUTO_TEST_SUITE(port_forward_test)

namespace {

const pod_port target{"kubeflow", "leader", 8082};
const request question{verb::get, "/admin/v1/actors", "", "", "path"};

/// Accepts the upgrade to a WebSocket, as RFC 6455 has it.
void upgrade(peer& p, const received_request& r) {
  auto key =
      r.header("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  unsigned char digest[SHA_DIGEST_LENGTH];
  SHA1(reinterpret_cast<const unsigned char*>(key.data()), key.size(), digest);
  unsigned char text[64] = {};
  EVP_EncodeBlock(text, digest, sizeof digest);
  p.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
          "Connection: Upgrade\r\nSec-WebSocket-Accept: "
          + std::string{reinterpret_cast<char*>(text)}
          + "\r\nSec-WebSocket-Protocol: v4.channel.k8s.io\r\n\r\n");
}

/// A binary frame of a server.
std::string frame(const std::string& payload) {
  return std::string{"\x82"} + static_cast<char>(payload.size()) + payload;
}

std::string data(const std::string& text) {
  return frame(std::string{'\0'} + text);
}

std::string error(const std::string& text) {
  return frame(std::string{'\1'} + text);
}

/// The first frames: the number of the port, on each channel.
std::string ports() {
  return data("\x92\x1f") + error("\x92\x1f");
}

std::string answer(const char* status, const std::string& body) {
  return std::string{"HTTP/1.1 "} + status + "\r\nContent-Length: "
         + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string in_single_bytes(const std::string& text) {
  std::string frames;
  for (char c : text)
    frames += data(std::string(1, c));
  return frames;
}

scripted_server::script sending(std::string frames) {
  return [=](peer& p) {
    if (auto r = p.read()) {
      upgrade(p, *r);
      p.write(frames);
      p.wait_until_left();
    }
  };
}

} // namespace

BOOST_AUTO_TEST_CASE(the_answer_of_the_pod_is_read_from_frames) {
  struct row {
    std::string frames;
    const char* body;
  };
  const row rows[] = {
      {ports() + data(answer("200 OK", "{}")), "{}"},
      {ports() + in_single_bytes(answer("200 OK", "{\"a\":1}")), "{\"a\":1}"},
      {data("\x92") + data("\x1f") + frame("") + error("\x92\x1f")
           + data(answer("200 OK", "x")),
       "x"},
      {ports()
           + data("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                  "2\r\nab\r\n")
           + data("1\r\nc\r\n0\r\n\r\n"),
       "abc"},
  };
  for (const auto& r : rows) {
    scripted_server server{sending(r.frames)};
    auto a = make_port_forward_api(to(server.url()), target);
    auto got = ask(*a, question);
    BOOST_REQUIRE_MESSAGE(bool(got),
                          (got ? std::string{} : got.error().message));
    BOOST_TEST(*got == r.body);
  }
}

BOOST_AUTO_TEST_CASE(whatever_goes_wrong_is_named) {
  struct row {
    std::string frames;
    ec code;
    const char* part;
  };
  const row rows[] = {
      {ports() + error("connection refused"), ec::unreachable,
       "the port-forward failed: connection refused"},
      {ports() + data(answer("404 Not Found", "{\"error\":\"no job\"}")),
       ec::not_found, "no job"},
      {ports() + data("SSH-2.0-OpenSSH\r\n\r\n"), ec::garbage, "HTTP"},
  };
  for (const auto& r : rows) {
    scripted_server server{sending(r.frames)};
    auto a = make_port_forward_api(to(server.url()), target);
    check_failure(ask(*a, question), r.code, r.part);
  }
}

BOOST_AUTO_TEST_CASE(an_answer_that_is_cut_off_is_a_failure) {
  const std::string close{"\x88\x00", 2};
  for (const auto& end : {close, std::string{}}) {
    scripted_server server{[&](peer& p) {
      if (auto r = p.read()) {
        upgrade(p, *r);
        p.write(ports() + data("HTTP/1.1 200 OK\r\n") + end);
      }
    }};
    auto a = make_port_forward_api(to(server.url()), target);
    check_failure(ask(*a, question), ec::unreachable);
  }
}

BOOST_AUTO_TEST_CASE(the_request_names_the_port_and_shows_the_token) {
  std::mutex mutex;
  strings seen;
  scripted_server server{[&](peer& p) {
    auto r = p.read();
    if (!r)
      return;
    {
      std::lock_guard guard{mutex};
      seen = {r->line(), r->header("Authorization"),
              r->header("Sec-WebSocket-Protocol"), r->header("Upgrade")};
    }
    upgrade(p, *r);
    p.write(ports() + data(answer("200 OK", "{}")));
    p.wait_until_left();
  }};
  auto a = make_port_forward_api(to(server.url(), "secret"), target);
  BOOST_REQUIRE(bool(ask(*a, question)));
  std::lock_guard guard{mutex};
  const strings expected{"GET /api/v1/namespaces/kubeflow/pods/leader/"
                         "portforward?ports=8082 HTTP/1.1",
                         "Bearer secret", "v4.channel.k8s.io", "websocket"};
  BOOST_TEST(seen == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(only_reads_are_forwarded) {
  scripted_server server{sending(ports() + data(answer("200 OK", "{}")))};
  auto a = make_port_forward_api(to(server.url()), target);
  for (auto method :
       {verb::create, verb::update, verb::patch, verb::remove, verb::watch}) {
    auto call = question;
    call.method = method;
    check_failure(ask(*a, call), ec::invalid,
                  std::string{"calls to "} + to_string(method)
                      + " are not forwarded to a pod, only reads are");
  }
  auto call = question;
  call.body = "{}";
  check_failure(ask(*a, call), ec::invalid, "only reads are");
  call = question;
  call.method = verb::list;
  BOOST_TEST(bool(ask(*a, call)));
}

BOOST_AUTO_TEST_CASE(a_refused_upgrade_is_the_servers_status) {
  scripted_server server{
      always(403, R"({"kind":"Status","code":403,"reason":"Forbidden",
                      "message":"pods \"leader\" is forbidden"})")};
  auto a = make_port_forward_api(to(server.url()), target);
  check_failure(ask(*a, question), ec::forbidden,
                "pods \"leader\" is forbidden");
}

BOOST_AUTO_TEST_CASE(a_silent_pod_is_given_up) {
  scripted_server server{sending(ports())};
  auto a = make_port_forward_api(to(server.url()), target);
  check_failure(ask(*a, question, 300ms), ec::timeout, "in time");
}

BOOST_AUTO_TEST_CASE(calls_in_flight_are_cancelled_at_the_end) {
  signal_flag asked;
  scripted_server server{[&](peer& p) {
    if (p.read())
      asked.raise();
    p.wait_until_left();
  }};
  auto a = make_port_forward_api(to(server.url()), target);
  std::promise<result<std::string>> promise;
  auto got = promise.get_future();
  a->send(question, timeout,
          [&](result<std::string> r) { promise.set_value(std::move(r)); });
  BOOST_REQUIRE(asked.wait());
  a.reset();
  check_failure(got.get(), ec::cancelled);
}

BOOST_AUTO_TEST_CASE(the_certificate_of_the_server_is_checked) {
  auto own = make_certificate("127.0.0.1");
  scripted_server server{sending(ports() + data(answer("200 OK", "{}"))), own};
  auto who = to(server.url());
  who.ca_pem = own.cert;
  auto trusting = make_port_forward_api(who, target);
  auto got = ask(*trusting, question);
  BOOST_CHECK_MESSAGE(bool(got), (got ? std::string{} : got.error().message));
  who.ca_pem = make_certificate("127.0.0.1").cert;
  auto a = make_port_forward_api(who, target);
  check_failure(ask(*a, question), ec::unreachable, "its certificate");
  who.ca_pem = own.cert;
  who.tls_server_name = "kubernetes";
  auto b = make_port_forward_api(who, target);
  check_failure(ask(*b, question), ec::unreachable, "another host name");
  who.insecure = true;
  auto c = make_port_forward_api(who, target);
  BOOST_CHECK(bool(ask(*c, question)));
}

BOOST_AUTO_TEST_SUITE_END()
