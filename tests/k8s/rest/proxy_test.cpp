// Through an HTTP proxy, to a server that is reached in no other way.
#include "k8s/rest/port_forward.hpp"
#include "tests/k8s/rest/rest_fixture.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/test/unit_test.hpp>

#include <sys/socket.h>
#include <thread>
#include <vector>

using namespace troupe::k8s;
using namespace troupe::k8s::rest;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(proxy_test)

namespace {

using boost::asio::ip::tcp;

void copy_until_end(tcp::socket& from, tcp::socket& to) {
  char block[16384];
  for (boost::system::error_code e; !e;) {
    auto n = from.read_some(boost::asio::buffer(block), e);
    if (!e)
      boost::asio::write(to, boost::asio::buffer(block, n), e);
  }
  ::shutdown(from.native_handle(), SHUT_RDWR);
  ::shutdown(to.native_handle(), SHUT_RDWR);
}

/// Connects clients with one server, whatever they ask for.
class proxy {
public:
  explicit proxy(unsigned short to)
      : acceptor_(io_,
                  tcp::endpoint{boost::asio::ip::address_v4::loopback(), 0})
      , to_(to)
      , thread_([this] { accept(); }) {}

  ~proxy() {
    ::shutdown(acceptor_.native_handle(), SHUT_RDWR);
    thread_.join();
    for (auto& t : tunnels_)
      t.join();
  }

  std::string url() const {
    return "http://me:pw@127.0.0.1:"
           + std::to_string(acceptor_.local_endpoint().port());
  }

  std::vector<std::string> asked() {
    std::lock_guard guard{mutex_};
    return asked_;
  }

private:
  void accept() {
    for (;;) {
      boost::system::error_code e;
      auto client = std::make_shared<tcp::socket>(acceptor_.accept(e));
      if (e)
        return;
      tunnels_.emplace_back([this, client] { serve(*client); });
    }
  }

  void serve(tcp::socket& client) {
    std::string head;
    char byte = 0;
    boost::system::error_code e;
    while (!e && head.find("\r\n\r\n") == std::string::npos)
      if (client.read_some(boost::asio::buffer(&byte, 1), e) == 1)
        head += byte;
    {
      std::lock_guard guard{mutex_};
      asked_.push_back(head);
    }
    tcp::socket server{io_};
    server.connect({boost::asio::ip::address_v4::loopback(), to_}, e);
    boost::asio::write(client,
                       boost::asio::buffer(std::string{
                           "HTTP/1.1 200 Connection established\r\n\r\n"}),
                       e);
    std::thread back{[&] { copy_until_end(server, client); }};
    copy_until_end(client, server);
    back.join();
  }

  boost::asio::io_context io_;
  tcp::acceptor acceptor_;
  unsigned short to_;
  std::mutex mutex_;
  std::vector<std::string> asked_;
  std::vector<std::thread> tunnels_;
  std::thread thread_;
};

std::string connect_request(const std::string& to) {
  return "CONNECT " + to + " HTTP/1.1\r\nHost: " + to
         + "\r\nUser-Agent: troupe\r\nProxy-Authorization: Basic "
           "bWU6cHc=\r\n\r\n";
}

} // namespace

BOOST_AUTO_TEST_CASE(calls_and_watches_go_through_the_proxy) {
  auto own = make_certificate("api.invalid");
  std::mutex mutex;
  std::vector<std::string> heard;
  scripted_server server{[&](peer& p) {
                           while (auto r = p.read()) {
                             std::lock_guard guard{mutex};
                             heard.push_back(
                                 r->header("Host") + " "
                                 + r->header("Proxy-Authorization"));
                             p.answer(200, "{}\n");
                           }
                         },
                         own};
  proxy between{server.port()};
  auto who = to("https://api.invalid");
  who.ca_pem = own.cert;
  who.proxy_url = between.url();
  {
    auto a = make_rest_api(who);
    for (int i = 0; i < 2; ++i) {
      auto r = ask(*a, get(pod));
      BOOST_REQUIRE_MESSAGE(bool(r), (r ? std::string{} : r.error().message));
    }
    watch_recorder w;
    auto session = a->watch(watch(pods, 1, 60s), timeout, w.sink());
    BOOST_REQUIRE(w.wait_for_end());
    BOOST_CHECK_MESSAGE(bool(w.how()),
                        (w.how() ? std::string{} : w.how().error().message));
    BOOST_TEST(w.bytes() == "{}\n");
  }
  const auto connect = connect_request("api.invalid:443");
  BOOST_TEST(between.asked() == std::vector<std::string>({connect, connect}),
             boost::test_tools::per_element());
  std::lock_guard guard{mutex};
  BOOST_TEST(heard == std::vector<std::string>(3, "api.invalid "),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(port_forwards_go_through_the_proxy) {
  scripted_server server{always(403, R"({"message":"not you"})")};
  proxy between{server.port()};
  auto who = to("http://[fd00::1]:8080");
  who.proxy_url = between.url();
  {
    auto a = make_port_forward_api(who, {"kubeflow", "leader", 8082});
    check_failure(ask(*a, {verb::get, "/admin/v1/actors", "", "", "path"}),
                  ec::forbidden, "not you");
  }
  BOOST_TEST(between.asked()
                 == std::vector<std::string>{connect_request("[fd00::1]:8080")},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_a_proxy_refuses_is_named) {
  const std::pair<std::string, std::string> rows[] = {
      {"HTTP/1.1 403 Forbidden\r\n\r\n",
       "it does not connect us: HTTP/1.1 403 Forbidden"},
      {"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n",
       "it asks for a login"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
       "its answer is no tunnel"},
      {"SSH-2.0-OpenSSH\r\n\r\n", "it does not connect us: SSH-2.0-OpenSSH"},
      {"\r\n\r\n", "it does not connect us: its answer is empty"},
      {"", "it closed the connection"},
      {std::string(20'000, 'x'), "failed: "}};
  for (const auto& [text, part] : rows) {
    scripted_server server{[&, answer = text](peer& p) {
      p.read();
      p.write(answer);
    }};
    auto who = to("https://api.invalid:6443");
    who.proxy_url = server.url();
    const auto name = "the proxy 127.0.0.1:" + std::to_string(server.port());
    auto a = make_rest_api(who);
    check_failure(ask(*a, get(pod)), ec::unreachable,
                  "cannot reach https://api.invalid:6443: " + name);
    check_failure(ask(*a, get(pod)), ec::unreachable, part);
  }
}

BOOST_AUTO_TEST_CASE(a_proxy_that_is_away_or_silent_is_named_or_timed_out) {
  auto who = to("https://api.invalid:6443");
  {
    scripted_server gone{always(200, "{}")};
    who.proxy_url = gone.url();
  }
  check_failure(ask(*make_rest_api(who), get(pod)), ec::unreachable,
                "connection refused");
  scripted_server silent{[](peer& p) { p.wait_until_left(); }};
  who.proxy_url = silent.url();
  auto a = make_rest_api(who);
  check_failure(ask(*a, get(pod), 100ms), ec::timeout);
  watch_recorder w;
  auto session = a->watch(watch(pods, 1, 60s), 100ms, w.sink());
  BOOST_REQUIRE(w.wait_for_end());
  BOOST_CHECK(!w.how() && w.how().error().code == ec::timeout);
}

BOOST_AUTO_TEST_SUITE_END()
