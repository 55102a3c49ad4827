#include "k8s/http/message_format.hpp"
#include "k8s/http/server.hpp"
#include "tests/k8s/http/echo.hpp"
#include "tests/k8s/http/wire.hpp"

#include <boost/asio.hpp>
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <future>
#include <thread>

using namespace troupe::k8s;
using namespace std::chrono_literals;
using boost::asio::ip::tcp;

BOOST_AUTO_TEST_CASE(
    an_answer_given_elsewhere_outruns_the_end_of_the_exchange) {
  // The last reference is dropped on the server's thread, the answer comes from
  // another one.
  auto s = serve([](http::request r, http::response_writer_ptr x) {
    std::thread([&] { echo(std::move(r), x); }).join();
  });
  wire w{*s};
  w.send("GET /a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  auto text = w.receive_all();
  BOOST_TEST(has(text, "200 OK"));
  BOOST_TEST(has(text, "GET /a"));
}

BOOST_AUTO_TEST_CASE(a_request_is_decoded_and_answered) {
  auto s = serve(echo);
  wire w{*s};
  w.send("POST /a%20b?x=1+2&y=%26 HTTP/1.1\r\nHost: "
         "localhost\r\nContent-Length: 3\r\n"
         "\r\nabc");
  auto text = w.receive("abc");
  BOOST_TEST(has(text, "HTTP/1.1 200 OK\r\n"));
  BOOST_TEST(has(text, "POST /a b x=1 2 y=& abc"));
}

BOOST_AUTO_TEST_CASE(a_server_that_drains_answers_what_it_was_asked) {
  std::promise<http::response_writer_ptr> asked;
  auto s = serve([&](auto, auto x) { asked.set_value(x); });
  wire idle{*s};
  wire half{*s};
  half.send("GET /half HTTP/1.1\r\n");
  wire busy{*s};
  busy.send("GET /1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
  auto x = asked.get_future().get();
  auto drained = std::async(std::launch::async, [&] { s->drain(20s); });
  // The idle one ends before any answer is given.
  BOOST_TEST(idle.receive_all().empty());
  boost::asio::io_context io;
  tcp::socket late{io};
  boost::system::error_code refused;
  late.connect({boost::asio::ip::address_v4::loopback(), s->port()}, refused);
  BOOST_TEST(bool(refused));
  asked = {};
  half.send("Host: localhost\r\n\r\n");
  echo({"GET", "/half", {}, {}, {}, {}}, asked.get_future().get());
  BOOST_TEST(has(half.receive_all(), "GET /half"));
  echo({"GET", "/1", {}, {}, {}, {}}, x);
  auto text = busy.receive_all();
  BOOST_TEST(has(text, "GET /1"));
  BOOST_TEST(has(text, "Connection: close"));
  drained.get();
}

BOOST_AUTO_TEST_CASE(draining_ends_at_its_limit) {
  std::promise<http::response_writer_ptr> asked;
  auto s = serve([&](auto, auto x) { asked.set_value(x); });
  wire w{*s};
  w.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  auto x = asked.get_future().get();
  s->drain(1ms);
  s.reset();
  BOOST_TEST(w.receive_all().empty());
}

BOOST_AUTO_TEST_CASE(an_answer_may_be_the_last_of_its_connection) {
  auto s = serve([](const auto&, auto x) {
    http::response r;
    r.body = "bye";
    r.headers["Connection"] = "close";
    x->reply(r);
  });
  wire w{*s};
  w.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  auto text = w.receive_all();
  BOOST_TEST(has(text, "\r\nConnection: close\r\n\r\nbye"));
  BOOST_TEST(text.find("Connection") == text.rfind("Connection"));
}

BOOST_AUTO_TEST_CASE(pipelined_requests_are_answered_in_order) {
  auto s = serve(echo);
  wire w{*s};
  std::string one = "GET /1 HTTP/1.1\r\nHost: localhost\r\n\r\n";
  std::string two = "GET /2 HTTP/1.1\r\nHost: localhost\r\n\r\n";
  std::string bye =
      "GET /3 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  w.send(one + two + bye);
  auto text = w.receive_all();
  BOOST_TEST(text.find("GET /1") < text.find("GET /2"));
  BOOST_TEST(text.find("GET /2") < text.find("GET /3"));
  BOOST_TEST(has(text, "GET /3"));
}

BOOST_AUTO_TEST_CASE(a_handler_may_answer_later_from_another_thread) {
  std::promise<http::response_writer_ptr> asked;
  auto s = serve([&](auto, auto x) { asked.set_value(x); });
  wire w{*s};
  // The pipelined second request must not make the first one look abandoned.
  w.send("GET /1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
  auto x = asked.get_future().get();
  http::response r;
  r.body = "late";
  x->reply(r);
  BOOST_TEST(has(w.receive("late"), "200 OK"));
}

BOOST_AUTO_TEST_CASE(a_stream_arrives_in_chunks_and_ends) {
  std::promise<http::response_writer_ptr> asked;
  auto s = serve([&](auto, auto x) {
    x->start({});
    x->write("hello");
    asked.set_value(x);
  });
  wire w{*s};
  w.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  BOOST_TEST(has(w.receive("5\r\nhello\r\n"), "Transfer-Encoding: chunked"));
  auto x = asked.get_future().get();
  x->write("world!");
  BOOST_TEST(w.receive("6\r\nworld!\r\n") == "6\r\nworld!\r\n");
  x->finish();
  BOOST_TEST(w.receive("0\r\n\r\n") == "0\r\n\r\n");
}

BOOST_AUTO_TEST_CASE(a_stream_knows_what_its_client_has_not_taken) {
  std::promise<std::size_t> backlog;
  std::promise<void> drained;
  auto s = serve([&](auto, auto x) {
    x->start({});
    x->on_drained([&, x, done = false]() mutable {
      if (!std::exchange(done, true)) {
        drained.set_value();
        x->finish();
      }
    });
    x->write(std::string(8u << 20, 'x')); // More than sockets hold.
    backlog.set_value(x->backlog());
  });
  wire w{*s};
  w.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  BOOST_TEST(backlog.get_future().get() == 8u << 20);
  w.receive("\r\n0\r\n\r\n");
  drained.get_future().get();
}

BOOST_AUTO_TEST_CASE(an_old_client_gets_a_stream_without_chunks) {
  auto s = serve([&](auto, auto x) {
    x->start({});
    x->write("hello");
    x->finish();
  });
  wire w{*s};
  w.send("GET / HTTP/1.0\r\nHost: localhost\r\n\r\n");
  auto text = w.receive_all();
  BOOST_TEST(!has(text, "chunked"));
  BOOST_TEST(has(text, "\r\n\r\nhello"));
}

BOOST_AUTO_TEST_CASE(head_has_the_length_but_no_body) {
  auto s = serve(echo);
  wire w{*s};
  w.send("HEAD /x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  auto text = w.receive_all();
  BOOST_TEST(has(text, "Content-Length: 8"));
  BOOST_TEST(!has(text, "HEAD /x"));
}

BOOST_AUTO_TEST_CASE(a_careful_client_is_told_to_continue) {
  auto s = serve(echo);
  wire w{*s};
  w.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n"
         "Expect: 100-continue\r\n\r\n");
  w.receive("HTTP/1.1 100 Continue\r\n\r\n");
  w.send("ok");
  BOOST_TEST(has(w.receive(" ok"), "200 OK"));
}

BOOST_AUTO_TEST_CASE(a_handler_that_throws_or_forgets_gives_500) {
  auto s = serve([](auto r, auto) {
    if (r.path == "/throw")
      throw std::runtime_error("oh");
  });
  for (auto path : {"/throw", "/forget"}) {
    wire w{*s};
    w.send(std::string("GET ") + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    BOOST_TEST(has(w.receive_all(), " 500 "));
  }
}

BOOST_AUTO_TEST_CASE(a_client_that_leaves_is_noticed) {
  std::promise<void> asked, gone;
  http::response_writer_ptr kept;
  auto s = serve([&](auto, auto x) {
    x->on_disconnect([&] { gone.set_value(); });
    kept = x;
    asked.set_value();
  });
  {
    wire w{*s};
    w.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    asked.get_future().get();
  }
  BOOST_TEST((gone.get_future().wait_for(20s) == std::future_status::ready));
  kept->reply({}); // Does nothing.
}

BOOST_AUTO_TEST_CASE(an_exchange_may_outlive_the_server) {
  std::promise<http::response_writer_ptr> asked;
  auto s = serve([&](auto, auto x) { asked.set_value(x); });
  wire w{*s};
  w.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  auto x = asked.get_future().get();
  s.reset();
  x->reply({});
  BOOST_TEST(w.receive_all().empty());
}

BOOST_AUTO_TEST_CASE(tasks_run_on_the_servers_thread) {
  std::promise<std::thread::id> first, second;
  auto s = serve(echo);
  s->post([&] { first.set_value(std::this_thread::get_id()); });
  s->post_after(1ms, [&] { second.set_value(std::this_thread::get_id()); });
  auto id = first.get_future().get();
  BOOST_TEST((id == second.get_future().get()));
  BOOST_TEST((id != std::this_thread::get_id()));
}

BOOST_AUTO_TEST_CASE(addresses_that_cannot_be_served_are_named) {
  auto s = serve(echo);
  auto taken = "127.0.0.1:" + std::to_string(s->port());
  struct {
    std::string address, part;
  } rows[] = {
      {taken, "another program uses this port"},
      {"8080", "there is no port"},
      {"127.0.0.1:99999", "the port is not a number"},
      {"::1:80", "needs brackets"},
      {"nowhere.invalid:80", "no IP address"},
  };
  for (const auto& row : rows) {
    auto r = http::listen(row.address, echo);
    BOOST_REQUIRE(!r);
    BOOST_TEST(has(r.error().message, row.part), r.error().message);
    BOOST_TEST(has(r.error().message, row.address));
  }
  BOOST_TEST(bool(http::listen(":0", echo)));
}

BOOST_AUTO_TEST_CASE(many_small_requests_are_cheap) {
  std::atomic<int> served{0};
  auto s = serve([&](auto, auto x) {
    ++served;
    x->reply({});
  });
  wire w{*s};
  std::string body(2000, 'x');
  std::string post =
      "POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2000\r\n\r\n"
      + body;
  auto begin = std::clock();
  for (int i = 0; i < 2000; ++i) {
    w.send(post);
    w.receive("\r\n\r\n");
  }
  BOOST_TEST(served == 2000);
  auto spent = double(std::clock() - begin) / CLOCKS_PER_SEC;
  BOOST_TEST_MESSAGE("2000 posts: " << spent << " s of both sides' CPU");
}
