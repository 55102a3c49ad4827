#include "tests/k8s/http/wire.hpp"

#include <future>

using namespace troupe::k8s;

BOOST_AUTO_TEST_SUITE(unread_answers_test)

namespace {

constexpr std::size_t mebibyte = 1u << 20;

/// Answers with as many mebibytes as the path says: /16, or /stream/16 for one
/// in pieces.
void answer_at_length(const http::request& r,
                      const http::response_writer_ptr& back) {
  auto last = r.path.rfind('/');
  auto size = std::stoul(r.path.substr(last + 1)) * mebibyte;
  if (last == 0)
    return back->reply({200, "text/plain", std::string(size, 'x'), {}});
  back->start({});
  back->write(std::string(size, 'x'));
  back->finish();
}

/// For answers that are not read, and cannot wait in the kernel.
struct slow_client : wire {
  explicit slow_client(const http::server& s,
                       const std::string& address = "127.0.0.1")
      : wire(s, address, 64 << 10) {}

  /// When it returns, the answer has begun, and is not over.
  void ask(const std::string& path) {
    send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    head = receive("\r\n\r\n");
  }
  bool gets(std::size_t mebibytes) {
    auto got = received.size();
    boost::system::error_code over;
    std::string piece(mebibyte, ' ');
    while (got < mebibytes * mebibyte && !over)
      got += socket.read_some(boost::asio::buffer(piece), over);
    return has(head, " 200 ") && !over;
  }
  std::string head;
};

/// One client may have 40 MiB, all together 60.
http::limits small_budget() {
  http::limits l;
  l.request_bytes = 60 * mebibyte;
  l.request_bytes_per_client = 40 * mebibyte;
  return l;
}

} // namespace

BOOST_AUTO_TEST_CASE(answers_that_nobody_reads_have_a_budget) {
  for (const std::string path : {"/16", "/stream/16"}) {
    auto s = serve(answer_at_length, small_budget());
    slow_client a{*s}, b{*s}, c{*s};
    for (auto* w : {&a, &b, &c})
      w->ask(path);
    BOOST_TEST(!a.gets(16)); // It made room.
    BOOST_TEST(b.gets(16));
    BOOST_TEST(c.gets(16));
  }
}

BOOST_AUTO_TEST_CASE(what_has_been_read_does_not_count) {
  auto s = serve(answer_at_length, small_budget());
  slow_client a{*s}, b{*s};
  a.ask("/16");
  for (int i = 0; i < 4; ++i) {
    b.ask("/16");
    BOOST_TEST(b.gets(16));
  }
  BOOST_TEST(a.gets(16));
}

BOOST_AUTO_TEST_CASE(one_answer_may_be_longer_than_the_budget) {
  auto s = serve(answer_at_length, small_budget());
  slow_client a{*s}, b{*s};
  a.ask("/80");
  b.ask("/80");
  BOOST_TEST(a.gets(80));
  BOOST_TEST(b.gets(80));
}

BOOST_AUTO_TEST_CASE(who_reads_nothing_takes_no_room_of_others) {
  auto s = serve(answer_at_length, small_budget());
  slow_client a{*s}, b{*s}, other{*s, "127.0.0.2"}, third{*s, "127.0.0.2"};
  for (auto* w : {&a, &b, &other, &third})
    w->ask("/18");
  BOOST_TEST(!a.gets(18));
  BOOST_TEST(b.gets(18));
  BOOST_TEST(other.gets(18));
  BOOST_TEST(third.gets(18));
}

BOOST_AUTO_TEST_CASE(where_no_room_can_be_made_the_answer_is_503) {
  auto l = small_budget();
  l.body_bytes = 30 * mebibyte;
  std::promise<http::response_writer_ptr> asked;
  auto s = serve(
      [&](const http::request& r, const http::response_writer_ptr& back) {
        r.method == "POST" ? asked.set_value(back) : answer_at_length(r, back);
      },
      l);
  // A request that is carried out is not given up for another.
  wire busy{*s};
  busy.send("POST /x HTTP/1.1\r\nHost: localhost\r\n"
            "Content-Length: 31457280\r\n\r\n"
            + std::string(l.body_bytes, 'x'));
  auto kept = asked.get_future().get();
  slow_client own{*s}, stream{*s}, other{*s, "127.0.0.2"};
  for (auto* w : {&own, &other})
    w->ask("/16");
  stream.ask("/stream/16");
  BOOST_TEST(has(own.head, " 503 "));
  // What takes the room is a request here.
  BOOST_TEST(has(own.receive("later\n"), "requests that are under way"));
  BOOST_TEST(!stream.gets(16));
  BOOST_TEST(other.gets(16));
  kept->reply({});
  BOOST_TEST(has(busy.receive("\r\n\r\n"), " 200 "));
}

BOOST_AUTO_TEST_SUITE_END()
