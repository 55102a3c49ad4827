#include "tests/k8s/rest/rest_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <thread>

using namespace troupe::k8s;
using namespace troupe::k8s::rest;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(rest_watch_test)

BOOST_AUTO_TEST_CASE(events_arrive_as_they_are_sent) {
  signal_flag first_read;
  scripted_server server{[&](peer& p) {
    p.read();
    p.begin_chunks();
    p.chunk("{\"a\":");
    p.chunk("1}\n");
    first_read.wait();
    p.chunk("{\"b\":2}\n");
    p.chunk("");
  }};
  auto a = make_rest_api(to(server.url()));
  watch_recorder w;
  auto session = a->watch(watch(pods, 1, 60s), timeout, w.sink());
  BOOST_CHECK(w.wait_for("{\"a\":1}\n"));
  BOOST_CHECK_EQUAL(w.ends(), 0);
  first_read.raise();
  BOOST_REQUIRE(w.wait_for_end());
  BOOST_CHECK(bool(w.how()));
  BOOST_CHECK_EQUAL(w.bytes(), "{\"a\":1}\n{\"b\":2}\n");
  BOOST_CHECK_EQUAL(w.ends(), 1);
}

BOOST_AUTO_TEST_CASE(nothing_is_read_while_the_reader_has_a_pause) {
  signal_flag first_read, second_sent;
  scripted_server server{[&](peer& p) {
    p.read();
    p.begin_chunks();
    p.chunk("{\"a\":1}\n");
    first_read.wait();
    p.chunk("{\"b\":2}\n");
    second_sent.raise();
    p.chunk("");
  }};
  auto a = make_rest_api(to(server.url()));
  watch_recorder w;
  std::atomic<bool> held{false};
  std::atomic<int> asked{0};
  auto sink = w.sink();
  // The pause begins behind the first line, which may come after the head.
  sink.bytes = [&held, take = sink.bytes,
                got = std::size_t{0}](std::string_view piece) mutable {
    got += piece.size();
    if (got == std::string_view{"{\"a\":1}\n"}.size())
      held = true;
    take(piece);
  };
  sink.pause = [&] {
    ++asked;
    return held ? 1ms : 0ms;
  };
  auto session = a->watch(watch(pods, 1, 60s), timeout, std::move(sink));
  BOOST_CHECK(w.wait_for("{\"a\":1}\n"));
  first_read.raise();
  second_sent.wait();
  for (int until = asked + 10; asked < until;)
    std::this_thread::sleep_for(1ms);
  BOOST_CHECK_EQUAL(w.bytes(), "{\"a\":1}\n");
  held = false;
  BOOST_REQUIRE(w.wait_for_end());
  BOOST_CHECK(bool(w.how()));
  BOOST_CHECK_EQUAL(w.bytes(), "{\"a\":1}\n{\"b\":2}\n");
}

BOOST_AUTO_TEST_CASE(a_watch_ends_in_its_readers_pause) {
  scripted_server server{[&](peer& p) {
    p.read();
    p.begin_chunks();
    p.chunk("{\"a\":1}\n");
    p.wait_until_left();
  }};
  auto a = make_rest_api(to(server.url()));
  watch_recorder w;
  signal_flag paused;
  auto sink = w.sink();
  sink.pause = [&] {
    paused.raise();
    return std::chrono::milliseconds{1h};
  };
  auto session = a->watch(watch(pods, 1, 60s), timeout, std::move(sink));
  paused.wait();
  session.reset(); // The server sees it leave.
}

BOOST_AUTO_TEST_CASE(a_watch_cut_in_a_line_brings_what_came_and_fails) {
  scripted_server server{[&](peer& p) {
    p.read();
    p.begin_chunks();
    p.chunk("{\"a\":1}\n{\"half");
  }};
  auto a = make_rest_api(to(server.url()));
  watch_recorder w;
  auto session = a->watch(watch(pods, 1, 60s), timeout, w.sink());
  BOOST_REQUIRE(w.wait_for_end());
  BOOST_REQUIRE(!w.how());
  BOOST_CHECK(w.how().error().code == ec::unreachable);
  BOOST_CHECK_EQUAL(w.bytes(), "{\"a\":1}\n{\"half");
}

BOOST_AUTO_TEST_CASE(a_refused_watch_brings_no_bytes_but_the_reason) {
  struct {
    int status;
    ec code;
  } const rows[] = {{410, ec::expired},
                    {403, ec::forbidden},
                    {429, ec::overloaded},
                    {500, ec::server_error}};
  for (auto row : rows) {
    scripted_server server{
        always(row.status, R"({"kind":"Status","message":"said why"})")};
    auto a = make_rest_api(to(server.url()));
    watch_recorder w;
    auto session = a->watch(watch(pods, 1, 60s), timeout, w.sink());
    BOOST_REQUIRE(w.wait_for_end());
    BOOST_REQUIRE(!w.how());
    BOOST_CHECK_MESSAGE(w.how().error().code == row.code,
                        to_string(w.how().error().code));
    BOOST_CHECK_EQUAL(w.how().error().message, "said why");
    BOOST_CHECK_EQUAL(w.bytes(), "");
  }
}

BOOST_AUTO_TEST_CASE(why_there_is_no_watch_is_said_as_for_a_call) {
  std::string url;
  {
    scripted_server server{always(200, "{}")};
    url = server.url();
  }
  const std::pair<std::string, std::string> rows[] = {
      {url, "cannot reach " + url
                + ": connection refused; is the API server running?"},
      {"https://nowhere.invalid:6443", "the name nowhere.invalid is not known"},
      {"nonsense", "\"nonsense\" is no usable address"}};
  for (const auto& [server, part] : rows) {
    auto a = make_rest_api(to(server));
    watch_recorder w;
    auto session = a->watch(watch(pods, 1, 60s), timeout, w.sink());
    BOOST_REQUIRE(w.wait_for_end());
    BOOST_REQUIRE(!w.how());
    BOOST_TEST(w.how().error().message.find(part) != std::string::npos,
               w.how().error().message);
  }
}

BOOST_AUTO_TEST_CASE(an_empty_log_ends_without_bytes) {
  scripted_server server{always(204, "")};
  auto a = make_rest_api(to(server.url()));
  watch_recorder w;
  auto session = a->watch(watch(pods, 1, 60s), timeout, w.sink());
  BOOST_REQUIRE(w.wait_for_end());
  BOOST_CHECK(bool(w.how()));
  BOOST_CHECK_EQUAL(w.bytes(), "");
}

BOOST_AUTO_TEST_CASE(a_refused_watch_says_when_to_come_back) {
  scripted_server server{always(429, "{}", "Retry-After: 7\r\n")};
  auto a = make_rest_api(to(server.url()));
  watch_recorder w;
  auto session = a->watch(watch(pods, 1, 60s), timeout, w.sink());
  BOOST_REQUIRE(w.wait_for_end());
  BOOST_REQUIRE(!w.how() && w.how().error().retry_after);
  BOOST_CHECK(*w.how().error().retry_after == 7s);
}

BOOST_AUTO_TEST_CASE(what_is_no_watch_ends_it) {
  for (std::string text :
       {"SSH-2.0-OpenSSH_9.2\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\n\r\n"}) {
    scripted_server server{[&](peer& p) {
      p.read();
      p.write(text);
      p.wait_until_left();
    }};
    auto a = make_rest_api(to(server.url()));
    watch_recorder w;
    auto session = a->watch(watch(pods, 1, 60s), timeout, w.sink());
    BOOST_REQUIRE(w.wait_for_end());
    BOOST_REQUIRE(!w.how());
    BOOST_CHECK(w.how().error().code == ec::garbage);
    BOOST_TEST(w.bytes() == "");
  }
}

// Neither a head nor the line before a chunk may fill our memory.
BOOST_AUTO_TEST_CASE(a_head_without_an_end_ends_the_watch) {
  for (std::string begin :
       {"HTTP/1.1 200 OK\r\nX: ",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a="}) {
    std::atomic<std::size_t> written{0};
    scripted_server server{[&](peer& p) {
      p.read();
      p.write(begin);
      for (; written < (4u << 20); written += 1024)
        p.write(std::string(1024, 'x'));
      p.wait_until_left();
    }};
    auto a = make_rest_api(to(server.url()));
    watch_recorder w;
    auto session = a->watch(watch(pods, 1, 60s), timeout, w.sink());
    BOOST_REQUIRE(w.wait_for_end());
    BOOST_REQUIRE(!w.how());
    BOOST_CHECK(w.how().error().code == ec::garbage);
  }
}

// While it works on one piece nothing is read: the server has to wait.
BOOST_AUTO_TEST_CASE(a_slow_reader_slows_the_server_down) {
  constexpr std::size_t all = 64u << 20;
  std::atomic<std::size_t> written{0};
  signal_flag go_on;
  scripted_server server{[&](peer& p) {
    p.read();
    p.begin_chunks();
    const std::string piece(64u << 10, 'x');
    for (; written < all; written += piece.size())
      p.chunk(piece);
    p.chunk("");
  }};
  std::atomic<std::size_t> read{0};
  signal_flag ended;
  watch_sink sink{[&](std::string_view piece) {
                    read += piece.size();
                    go_on.wait();
                  },
                  [&](result<nothing>) { ended.raise(); }};
  auto a = make_rest_api(to(server.url()));
  auto session = a->watch(watch(pods, 1, 60s), timeout, std::move(sink));
  std::size_t before = 1;
  while (before != written || written == 0) { // Until it stands still.
    before = written;
    std::this_thread::sleep_for(200ms);
  }
  BOOST_TEST(written < all / 2); // What the kernel's buffers take.
  go_on.raise();
  BOOST_REQUIRE(ended.wait());
  BOOST_TEST(read == all);
}

BOOST_AUTO_TEST_CASE(a_silent_watch_ends_and_an_active_one_does_not) {
  std::atomic<bool> end{false};
  scripted_server server{[&](peer& p) {
    auto r = p.read();
    p.begin_chunks();
    p.chunk("{}\n");
    if (r && r->line().find("resourceVersion=2") == std::string::npos)
      p.wait_until_left();
    while (!end) {
      p.chunk("\n");
      std::this_thread::sleep_for(20ms);
    }
    p.chunk("");
  }};
  auto a = make_rest_api(to(server.url()));
  watch_recorder silent;
  watch_recorder lively;
  // Long enough that a busy machine's pauses are no silence.
  auto begin = std::chrono::steady_clock::now();
  auto other = a->watch(watch(pods, 2, 60s), 4s, lively.sink());
  auto session = a->watch(watch(pods, 1, 60s), 1s, silent.sink());
  BOOST_REQUIRE(silent.wait_for_end());
  BOOST_REQUIRE(!silent.how());
  BOOST_CHECK(silent.how().error().code == ec::timeout);
  BOOST_CHECK_EQUAL(silent.bytes(), "{}\n");
  std::this_thread::sleep_until(begin + 5s);
  end = true;
  BOOST_REQUIRE(lively.wait_for_end());
  BOOST_CHECK(bool(lively.how()));
}

BOOST_AUTO_TEST_CASE(a_closed_session_calls_no_more_and_disconnects) {
  signal_flag left;
  scripted_server server{[&](peer& p) {
    p.read();
    p.begin_chunks();
    p.chunk("{}\n");
    p.wait_until_left();
    left.raise();
  }};
  auto a = make_rest_api(to(server.url()));
  watch_recorder w;
  auto session = a->watch(watch(pods, 1, 60s), timeout, w.sink());
  BOOST_REQUIRE(w.wait_for("{}\n"));
  session.reset();
  BOOST_CHECK(left.wait());
  a.reset();
  BOOST_CHECK_EQUAL(w.ends(), 0);
}

BOOST_AUTO_TEST_CASE(a_session_may_be_closed_by_its_own_callback) {
  scripted_server server{[&](peer& p) {
    p.read();
    p.begin_chunks();
    p.chunk("{}\n");
    p.wait_until_left();
  }};
  auto a = make_rest_api(to(server.url()));
  std::mutex mutex;
  std::unique_ptr<watch_session> session;
  signal_flag closed;
  watch_sink sink{[&](std::string_view) {
                    {
                      std::lock_guard guard{mutex};
                      session.reset();
                    }
                    closed.raise();
                  },
                  [](result<nothing>) {}};
  {
    std::lock_guard guard{mutex};
    session = a->watch(watch(pods, 1, 60s), timeout, std::move(sink));
  }
  BOOST_CHECK(closed.wait());
}

BOOST_AUTO_TEST_CASE(what_a_sink_holds_is_let_go_of_with_its_session) {
  scripted_server server{[&](peer& p) { p.wait_until_left(); }};
  auto a = make_rest_api(to(server.url()));
  auto held = std::make_shared<int>(1);
  auto session =
      a->watch(watch(pods, 1, 60s), timeout,
               {[held](std::string_view) {}, [held](result<nothing>) {}});
  session.reset();
  BOOST_CHECK_EQUAL(held.use_count(), 1);
}

BOOST_AUTO_TEST_CASE(the_end_of_the_api_ends_all_that_is_under_way) {
  scripted_server server{[](peer& p) { p.wait_until_left(); }};
  std::atomic<int> cancelled{0};
  watch_recorder w;
  std::unique_ptr<watch_session> session;
  {
    auto a = make_rest_api(to(server.url()));
    session = a->watch(watch(pods, 1, 60s), timeout, w.sink());
    for (int i = 0; i < 20; ++i)
      a->send(get(pod), timeout, [&](result<std::string> r) {
        if (!r && r.error().code == ec::cancelled)
          ++cancelled;
      });
  }
  BOOST_CHECK_EQUAL(cancelled.load(), 20);
  BOOST_CHECK_EQUAL(w.ends(), 1);
  BOOST_CHECK(!w.how() && w.how().error().code == ec::cancelled);
}

BOOST_AUTO_TEST_CASE(a_server_that_comes_and_goes_harms_no_later_call) {
  auto own = std::make_unique<scripted_server>(always(200, "{}"));
  auto a = make_rest_api(to(own->url()));
  BOOST_CHECK(bool(ask(*a, get(pod))));
  own.reset();
  check_failure(ask(*a, get(pod)), ec::unreachable);
}

BOOST_AUTO_TEST_SUITE_END()
