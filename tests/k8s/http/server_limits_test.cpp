// What one client may take, and who is turned away.
#include "k8s/http/server.hpp"
#include "tests/k8s/http/echo.hpp"
#include "tests/k8s/http/wire.hpp"

#include <boost/asio.hpp>
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <future>

using namespace troupe::k8s;
using namespace std::chrono_literals;
using boost::asio::ip::tcp;

BOOST_AUTO_TEST_CASE(bad_requests_are_refused_by_their_fault) {
  http::limits small;
  small.header_bytes = 1024;
  small.body_bytes = 1000;
  auto hasty = small;
  hasty.request_time = 1s;
  auto s = serve(echo, small), soon = serve(echo, hasty);
  struct {
    std::string what, answer;
  } rows[] = {
      {"gibberish\r\n\r\n", " 400 "},
      {"GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n", " 400 "},
      {"GET / HTTP/1.1\r\n\r\n", " 400 "},
      {"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
       " 400 "},
      {"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: "
       "chunked\r\n\r\nZZ\r\n",
       " 400 "},
      {"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1001\r\n\r\n",
       " 413 "},
      {"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(2000, 'x')
           + "\r\n\r\n",
       " 431 "},
      {"GET / HTTP/1.1\r\nHo", " 408 "},
      {"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nabc",
       " 408 "},
  };
  for (const auto& row : rows) {
    wire w{row.answer == " 408 " ? *soon : *s};
    w.send(row.what);
    auto text = w.receive_all();
    BOOST_TEST(has(text.substr(0, 20), row.answer), row.what << text);
  }
}

BOOST_AUTO_TEST_CASE(who_may_not_ask_is_told_before_the_body_is_read) {
  http::access_policy a;
  a.token = "sesame";
  a.body_media_types = {"application/json"};
  a.any_port = false;
  std::atomic<int> served{0};
  auto s = serve(
      [&](auto r, auto x) {
        ++served;
        echo(std::move(r), x);
      },
      {}, a);
  auto ask = [&](const std::string& rest) {
    wire w{*s};
    w.send("POST /x HTTP/1.1\r\nContent-Length: 2\r\nExpect: 100-continue\r\n"
           + rest + "\r\n");
    auto text = w.receive("\r\n\r\n");
    if (has(text, "100 Continue")) {
      w.send("ok");
      text = w.receive(" ok");
    }
    return text.substr(9, 3);
  };
  auto host = "Host: localhost:" + std::to_string(s->port()) + "\r\n";
  std::string token = "Authorization: Bearer sesame\r\n";
  std::string json = "Content-Type: application/json\r\n";
  BOOST_TEST(ask("Host: evil.example\r\n" + token + json) == "421");
  BOOST_TEST(ask("Host: localhost:1\r\n" + token + json) == "421");
  BOOST_TEST(ask(host + "Host: evil.example\r\n" + token + json) == "421");
  BOOST_TEST(ask(host + token + json + "Origin: http://evil.example\r\n")
             == "403");
  BOOST_TEST(ask(host + json) == "401");
  BOOST_TEST(ask(host + token) == "415");
  BOOST_TEST(served == 0);
  BOOST_TEST(ask(host + token + json) == "200");
  BOOST_TEST(served == 1);
  // The target's own host counts.
  wire w{*s};
  w.send("GET http://evil.example/ HTTP/1.1\r\n" + host + token + "\r\n");
  BOOST_TEST(has(w.receive_all(), " 421 "));
  BOOST_TEST(served == 1);
}

BOOST_AUTO_TEST_CASE(a_silent_client_is_let_go) {
  http::limits short_time;
  short_time.idle_time = 1s;
  auto s = serve(echo, short_time);
  wire w{*s};
  w.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  w.receive("GET /");
  BOOST_TEST(w.receive_all().size() < 5u); // Returns: the server closed.
}

BOOST_AUTO_TEST_CASE(too_many_connections_are_turned_away) {
  http::limits two;
  two.connections = 2;
  std::promise<void> asked[2];
  std::vector<http::response_writer_ptr> kept;
  auto s = serve(
      [&](auto, auto x) {
        kept.push_back(x);
        asked[kept.size() - 1].set_value();
      },
      two);
  wire a{*s}, b{*s};
  for (auto* w : {&a, &b})
    w->send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  for (auto& one : asked)
    one.get_future().get();
  wire c{*s};
  BOOST_TEST(has(c.receive_all(), " 503 "));
}

BOOST_AUTO_TEST_CASE(connections_that_wait_make_room) {
  http::limits two;
  two.connections = 2;
  auto s = serve(echo, two);
  wire a{*s}, b{*s};
  for (auto* w : {&a, &b}) {
    w->send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    w->receive("GET / ");
  }
  wire c{*s};
  c.send("GET /c HTTP/1.1\r\nHost: localhost\r\n\r\n");
  BOOST_TEST(has(c.receive("GET /c"), " 200 "));
  BOOST_TEST(a.receive_all() == "");
}

BOOST_AUTO_TEST_CASE(who_makes_room_in_the_middle_of_a_request_is_told) {
  http::limits one;
  one.connections = 1;
  auto s = serve(echo, one);
  wire a{*s};
  a.send("GET /a HTTP/1.1\r\nHost: localhost\r\n\r\nGET /b HTTP/1.1\r\n");
  BOOST_TEST(has(a.receive("GET /a "), " 200 "));
  wire b{*s};
  b.send("GET /b HTTP/1.1\r\nHost: localhost\r\n\r\n");
  BOOST_TEST(has(b.receive("GET /b"), " 200 "));
  BOOST_TEST(has(a.receive_all(), " 503 "));
}

BOOST_AUTO_TEST_CASE(a_probe_is_answered_whatever_a_client_does) {
  http::limits few;
  few.connections = 20;
  few.connections_per_client = 10;
  few.request_bytes = 1u << 20;
  auto s = serve(echo, few);
  std::vector<std::unique_ptr<wire>> crowd;
  const std::string beginnings[] = {
      "", "G", "GET / HTTP/1.1\r\nX: " + std::string(20000, 'x'),
      "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999999\r\n\r\n"
          + std::string(200000, 'x')};
  for (int i = 0; i < 200; ++i) {
    crowd.push_back(std::make_unique<wire>(*s));
    crowd.back()->send(beginnings[i % 4]);
    if (i % 20 != 0)
      continue;
    wire probe{*s};
    probe.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
               "Connection: close\r\n\r\n");
    BOOST_TEST(has(probe.receive_all(), " 200 "));
  }
}

BOOST_AUTO_TEST_CASE(one_client_may_not_take_all_connections) {
  http::limits one;
  one.connections_per_client = 1;
  std::promise<void> asked;
  http::response_writer_ptr kept;
  auto s = serve(
      [&](auto r, auto x) {
        if (r.path != "/kept")
          return echo(std::move(r), x);
        kept = x;
        asked.set_value();
      },
      one);
  wire a{*s};
  a.send("GET /kept HTTP/1.1\r\nHost: localhost\r\n\r\n");
  asked.get_future().get();
  wire b{*s};
  BOOST_TEST(has(b.receive_all(), " 503 "));
  // Another address of the same machine.
  boost::asio::io_context io;
  tcp::socket other{io, tcp::v4()};
  other.bind({boost::asio::ip::make_address("127.0.0.2"), 0});
  other.connect({boost::asio::ip::address_v4::loopback(), s->port()});
  boost::asio::write(other, boost::asio::buffer(std::string{
                                "GET / HTTP/1.1\r\nHost: localhost\r\n"
                                "Connection: close\r\n\r\n"}));
  std::string text;
  boost::system::error_code end;
  boost::asio::read(other, boost::asio::dynamic_buffer(text), end);
  BOOST_TEST(has(text, " 200 "));
}

BOOST_AUTO_TEST_CASE(favoured_clients_get_in_whatever_others_have) {
  http::limits few;
  few.connections = 8;
  http::access_policy a;
  a.favours = [](const http::request& head) { return head.path == "/review"; };
  auto s = serve(echo, few, a);
  const std::string review = "GET /review HTTP/1.1\r\nHost: localhost\r\n\r\n";
  std::vector<std::unique_ptr<wire>> others;
  std::vector<std::unique_ptr<wire>> reviewers;
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < 8; ++k) { // One connection each, which does nothing.
      auto own = "127.0.1." + std::to_string(1 + 8 * i + k);
      others.push_back(std::make_unique<wire>(*s, own, 0));
      others.back()->send("GET /");
    }
    reviewers.push_back(std::make_unique<wire>(*s));
    for (auto& one : reviewers) { // The first ones have stayed open.
      one->send(review);
      BOOST_TEST(has(one->receive("GET /review"), " 200 "));
    }
  }
}

BOOST_AUTO_TEST_CASE(the_latest_request_of_a_client_decides_its_favour) {
  http::limits few;
  few.connections = 2;
  http::access_policy a;
  a.favours = [](const http::request& head) { return head.path == "/review"; };
  auto s = serve(echo, few, a);
  auto ask = [](wire& w, const std::string& path) {
    w.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    return has(w.receive("GET " + path), " 200 ");
  };
  wire pod{*s, "127.0.1.1", 0};
  BOOST_TEST(ask(pod, "/review"));
  BOOST_TEST(ask(pod, "/report"));
  wire first{*s};
  BOOST_TEST(ask(first, "/review"));
  // The pod has no more than the other, and makes room for it.
  wire second{*s};
  BOOST_TEST(ask(second, "/review"));
  BOOST_TEST(ask(first, "/review"));
}

BOOST_AUTO_TEST_CASE(a_body_that_nobody_takes_is_not_read) {
  http::access_policy a;
  a.body_limit = [](const http::request& head) {
    return head.path == "/small" ? std::size_t{4} : std::size_t{0};
  };
  auto s = serve(echo, {}, a);
  auto post = [&](const std::string& path, const std::string& size) {
    wire w{*s};
    w.send("POST " + path + " HTTP/1.1\r\nHost: localhost\r\n" + size
           + "\r\n\r\n" + "ab");
    auto text = w.receive_all();
    return text.substr(9, 3) + (has(text, "Connection: close") ? " end" : "");
  };
  // Answered while most of the body has not come.
  BOOST_TEST(post("/any", "Content-Length: 16777216") == "200 end");
  BOOST_TEST(post("/any", "Transfer-Encoding: chunked") == "200 end");
  BOOST_TEST(post("/small", "Content-Length: 5") == "413 end");
  // One that is here already is in nobody's way.
  wire w{*s};
  w.send("POST /any HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n"
         "abGET /next HTTP/1.1\r\nHost: localhost\r\n\r\n");
  BOOST_TEST(has(w.receive("GET /next"), "POST /any "));
  // Without a rule of the server that holds for GET.
  auto plain = serve(echo);
  wire g{*plain};
  g.send("GET /g HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n");
  BOOST_TEST(has(g.receive_all(), "GET /g "));
}

BOOST_AUTO_TEST_CASE(unfinished_bodies_have_a_budget) {
  http::limits small;
  small.request_bytes = 4u << 20;
  small.request_bytes_per_client = 4u << 20;
  auto s = serve(echo, small);
  std::string body(1u << 20, 'x');
  std::vector<std::unique_ptr<wire>> crowd;
  for (int i = 0; i < 8; ++i) {
    crowd.push_back(std::make_unique<wire>(*s));
    crowd.back()->send("POST / HTTP/1.1\r\nHost: localhost\r\n"
                       "Content-Length: 2097152\r\n\r\n"
                       + body);
  }
  // The oldest ones make room, with an answer.
  BOOST_TEST(has(crowd.front()->receive_all(), " 503 "));
  // A request that comes whole is answered.
  wire w{*s};
  w.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1048576\r\n\r\n"
         + body);
  BOOST_TEST(has(w.receive("\r\n\r\n"), " 200 "));
  // One that is larger than all that there is.
  wire large{*s};
  large.send("POST / HTTP/1.1\r\nHost: localhost\r\n"
             "Content-Length: 6291456\r\n\r\n");
  for (int i = 0; i < 6; ++i)
    large.send(body);
  BOOST_TEST(has(large.receive_all(), " 503 "));
}

BOOST_AUTO_TEST_CASE(who_is_let_in_may_be_decided_later_and_before_the_body) {
  using decision = std::function<void(std::optional<http::response>)>;
  std::promise<decision> asked;
  http::access_policy a;
  a.admit = [&](const http::request& head, decision decide) {
    http::response no;
    no.status = 403;
    if (head.path == "/no")
      decide(no);
    else if (head.path == "/yes")
      decide(std::nullopt);
    else
      asked.set_value(decide);
  };
  auto s = serve(echo, {}, a);
  std::string rest = " HTTP/1.1\r\nHost: localhost\r\n"
                     "Content-Length: 2\r\nExpect: 100-continue\r\n\r\n";
  wire no{*s};
  no.send("POST /no" + rest);
  BOOST_TEST(has(no.receive_all(), "HTTP/1.1 403 "));
  wire w{*s};
  w.send("POST /yes" + rest);
  BOOST_TEST(has(w.receive("\r\n\r\n"), " 100 "));
  w.send("ok");
  BOOST_TEST(has(w.receive(" ok"), " 200 "));
  w.send("POST /later" + rest);
  auto decide = asked.get_future().get();
  decide(std::nullopt);
  BOOST_TEST(has(w.receive("\r\n\r\n"), " 100 "));
  w.send("ok");
  BOOST_TEST(has(w.receive(" ok"), "POST /later"));
  decide(std::nullopt); // Too late, and once too often.
  s.reset();
  decide(std::nullopt);
}

BOOST_AUTO_TEST_CASE(a_reader_too_slow_for_its_stream_is_cut) {
  http::limits small;
  small.stream_backlog = 1 << 20;
  std::promise<void> gone;
  auto s = serve(
      [&](auto, auto x) {
        x->on_disconnect([&] { gone.set_value(); });
        x->start({});
        for (int i = 0; i < 64; ++i)
          x->write(std::string(1 << 20, 'x'));
      },
      small);
  wire w{*s};
  w.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  BOOST_TEST((gone.get_future().wait_for(20s) == std::future_status::ready));
}
