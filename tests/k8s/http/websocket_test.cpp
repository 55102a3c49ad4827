#include "k8s/http/access.hpp"
#include "k8s/http/websocket.hpp"

#include <boost/algorithm/string/replace.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <future>
#include <mutex>

using namespace troupe::k8s;
using namespace std::chrono_literals;
using boost::asio::ip::tcp;
namespace beast_websocket = boost::beast::websocket;

BOOST_AUTO_TEST_SUITE(websocket_test)

namespace {

constexpr auto patience = 60s;

/// A server whose WebSockets are in the hands of the test.
class websocket_server {
public:
  explicit websocket_server(http::limits l = {}, http::access_policy who = {}) {
    auto s = http::listen(
        "127.0.0.1:0",
        [this](const http::request& r, const http::response_writer_ptr& x) {
          answer(r, x);
        },
        l, std::move(who));
    BOOST_REQUIRE(s);
    server_ = std::move(*s);
  }

  /// The server's end of the client that came last.
  http::message_stream_ptr accepted() { return accepted_.get_future().get(); }
  std::string next_message() {
    stream_->request_message();
    return wait_for([this](std::string& out) {
      if (messages_.empty())
        return false;
      out = messages_.front();
      messages_.erase(messages_.begin());
      return true;
    });
  }
  bool has_ended() {
    wait_for([this](std::string&) { return ended_; });
    return ended_;
  }
  void wait_until_drained() {
    wait_for([this](std::string&) { return drained_ > 0; });
  }
  int drained() {
    std::lock_guard guard{mutex_};
    return drained_;
  }
  std::size_t messages() {
    std::lock_guard guard{mutex_};
    return messages_.size();
  }
  std::uint16_t port() const { return server_->port(); }
  void stop() { server_.reset(); }
  http::message_stream_ptr stream_;

private:
  void answer(const http::request& r, const http::response_writer_ptr& x) {
    auto spoken = http::choose_subprotocol(r, {"b", "c"});
    if (!http::is_websocket_request(r) || spoken.empty())
      return x->reply({400, "text/plain", "not for us", {}});
    auto stream = x->accept_websocket(
        spoken, {[this](std::string m) {
                   change([&] { messages_.push_back(std::move(m)); });
                 },
                 [this] { change([&] { ++drained_; }); },
                 [this] { change([&] { ended_ = true; }); }});
    if (!std::exchange(has_accepted_, true))
      accepted_.set_value(std::move(stream));
  }

  template <class F>
  void change(F f) {
    std::lock_guard guard{mutex_};
    f();
    changed_.notify_all();
  }

  template <class F>
  std::string wait_for(F is_there) {
    std::string out;
    std::unique_lock guard{mutex_};
    BOOST_REQUIRE(
        changed_.wait_for(guard, patience, [&] { return is_there(out); }));
    return out;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> messages_;
  bool ended_ = false;
  int drained_ = 0;
  bool has_accepted_ = false;
  std::promise<http::message_stream_ptr> accepted_;
  std::unique_ptr<http::server> server_;
};

struct websocket_client {
  explicit websocket_client(std::uint16_t port) {
    socket.next_layer().connect(
        {boost::asio::ip::address_v4::loopback(), port});
    timeval limit{20, 0};
    ::setsockopt(socket.next_layer().native_handle(), SOL_SOCKET, SO_RCVTIMEO,
                 &limit, sizeof limit);
  }
  /// The status of the answer.
  int open(const std::string& offered) {
    socket.set_option(beast_websocket::stream_base::decorator(
        [&](beast_websocket::request_type& r) {
          r.set(boost::beast::http::field::sec_websocket_protocol, offered);
        }));
    boost::system::error_code refused;
    socket.handshake(answer, "127.0.0.1:" + std::to_string(port_of_peer()), "/",
                     refused);
    socket.binary(true);
    return answer.result_int();
  }
  std::string read() {
    boost::beast::flat_buffer b;
    socket.read(b, error);
    return boost::beast::buffers_to_string(b.data());
  }
  int port_of_peer() { return socket.next_layer().remote_endpoint().port(); }

  boost::asio::io_context io;
  beast_websocket::stream<tcp::socket> socket{io};
  beast_websocket::response_type answer;
  boost::system::error_code error;
};

/// The answer to a request with a body of this size.
std::string post(std::uint16_t port, std::size_t size) {
  auto text = "POST / HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port)
              + "\r\nContent-Length: " + std::to_string(size)
              + "\r\nConnection: close\r\n\r\n" + std::string(size, 'y');
  boost::asio::io_context io;
  tcp::socket socket{io};
  socket.connect({boost::asio::ip::address_v4::loopback(), port});
  boost::system::error_code end;
  boost::asio::write(socket, boost::asio::buffer(text), end);
  std::string answer;
  boost::asio::read(socket, boost::asio::dynamic_buffer(answer), end);
  return answer;
}

} // namespace

BOOST_AUTO_TEST_CASE(messages_go_both_ways_whatever_their_size) {
  websocket_server s;
  websocket_client c{s.port()};
  BOOST_TEST(c.open("a, c, b") == 101);
  BOOST_TEST(c.answer["Sec-WebSocket-Protocol"] == "c");
  s.stream_ = s.accepted();
  for (std::size_t size : {0, 1, 125, 126, 65535, 65536, 1000000}) {
    std::string message(size, 'x');
    c.socket.write(boost::asio::buffer(message));
    BOOST_TEST(s.next_message().size() == size);
    s.stream_->send(message);
    BOOST_TEST(c.read().size() == size);
  }
  c.socket.ping("still there?");
  c.socket.text(true);
  c.socket.write(boost::asio::buffer(std::string("as text")));
  BOOST_TEST(s.next_message() == "as text");
  s.stream_->send("last");
  s.stream_->close();
  BOOST_TEST(c.read() == "last");
  c.read();
  BOOST_TEST((c.error == beast_websocket::error::closed));
  BOOST_TEST((c.socket.reason().code == beast_websocket::close_code::normal));
  BOOST_TEST(s.has_ended());
  s.stream_->send("to nobody");
}

BOOST_AUTO_TEST_CASE(a_server_that_does_not_ask_takes_little) {
  http::limits l;
  websocket_server s{l};
  websocket_client c{s.port()};
  c.open("b");
  s.stream_ = s.accepted();
  // As much as fits into the buffers of the kernel.
  auto& socket = c.socket.next_layer();
  c.socket.write(boost::asio::buffer(std::string("first")));
  socket.non_blocking(true);
  std::string frame("\x82\xff\0\0\0\0\0\1\0\0aaaa", 14);
  frame += std::string(65536, 'a');
  std::size_t sent = 0;
  boost::system::error_code full;
  for (int rounds = 0; rounds < 20; ++rounds) {
    while (!full) {
      auto part = sent % frame.size();
      sent += socket.write_some(
          boost::asio::buffer(frame.data() + part, frame.size() - part), full);
    }
    full = {};
    pollfd room{socket.native_handle(), POLLOUT, 0};
    if (::poll(&room, 1, 50) == 0)
      break;
  }
  BOOST_TEST(s.messages() == 0u);
  BOOST_TEST(sent < 64u << 20);
  BOOST_TEST(s.next_message() == "first");
  for (auto left = sent / frame.size(); left > 0; --left)
    BOOST_REQUIRE(s.next_message() == std::string(65536, '\0'));
  // Nothing of it is lost; and a client that leaves is noticed unread.
  socket.close();
  BOOST_TEST(s.has_ended());
}

// What a client sends is in the server's memory until it is taken.
BOOST_AUTO_TEST_CASE(a_message_has_no_more_room_than_a_request) {
  http::limits l;
  l.request_bytes = l.request_bytes_per_client = 2u << 20;
  websocket_server s{l};
  websocket_client c{s.port()};
  c.open("b");
  s.stream_ = s.accepted();
  c.socket.write(boost::asio::buffer(std::string(1'000'000, 'x')));
  BOOST_TEST(s.next_message().size() == 1'000'000u);
  boost::system::error_code cut;
  c.socket.write(boost::asio::buffer(std::string(2'000'000, 'x')), cut);
  c.read();
  if (!cut) // Else the end has come while it was still writing.
    BOOST_TEST((c.socket.reason().code
                == beast_websocket::close_code::try_again_later));
  BOOST_TEST(s.has_ended());
  BOOST_TEST(s.messages() == 0u);
}

BOOST_AUTO_TEST_CASE(messages_make_room_for_requests) {
  for (bool done : {true, false}) {
    http::limits l;
    l.request_bytes = l.request_bytes_per_client = 2u << 20;
    websocket_server s{l};
    websocket_client c{s.port()};
    c.open("b");
    s.stream_ = s.accepted();
    c.socket.write(boost::asio::buffer(std::string(1'000'000, 'x')));
    BOOST_TEST(s.next_message().size() == 1'000'000u);
    if (done) // Its receiver asks for the next one.
      s.stream_->request_message();
    auto answer = post(s.port(), 1'300'000);
    BOOST_TEST(answer.rfind("HTTP/1.1 400", 0) == 0u, answer.substr(0, 80));
    if (done) {
      s.stream_->send("still here");
      BOOST_TEST(c.read() == "still here");
    } else {
      BOOST_TEST(s.has_ended());
    }
  }
}

BOOST_AUTO_TEST_CASE(messages_that_are_not_read_have_the_room_of_requests) {
  constexpr std::size_t mebibyte = 1u << 20;
  for (bool is_read : {true, false}) {
    http::limits l;
    l.request_bytes = l.request_bytes_per_client = 40 * mebibyte;
    l.body_bytes = l.stream_backlog = 64 * mebibyte;
    websocket_server s{l};
    websocket_client c{s.port()};
    c.socket.read_message_max(64 * mebibyte);
    int little = 64 << 10; // The kernel is not to take it all.
    ::setsockopt(c.socket.next_layer().native_handle(), SOL_SOCKET, SO_RCVBUF,
                 &little, sizeof little);
    c.open("b");
    s.stream_ = s.accepted();
    s.stream_->send(std::string(30 * mebibyte, 'x'));
    if (is_read) {
      BOOST_TEST(c.read().size() == 30 * mebibyte);
      s.wait_until_drained();
    }
    BOOST_TEST(post(s.port(), 20 * mebibyte).rfind("HTTP/1.1 400", 0) == 0u);
    if (is_read) {
      s.stream_->send("still here");
      BOOST_TEST(c.read() == "still here");
      // More than there is room for ends it at once, whoever else asks.
      s.stream_->send(std::string(30 * mebibyte, 'x'));
      s.stream_->send(std::string(30 * mebibyte, 'x'));
    }
    BOOST_TEST(s.has_ended());
  }
}

BOOST_AUTO_TEST_CASE(a_client_that_leaves_is_noticed_while_nobody_reads) {
  websocket_server s;
  {
    websocket_client c{s.port()};
    c.open("b");
    s.stream_ = s.accepted();
    for (int i = 0; i < 3; ++i)
      c.socket.write(boost::asio::buffer(std::string("unread")));
  }
  BOOST_TEST(s.has_ended());
}

BOOST_AUTO_TEST_CASE(a_client_that_reads_too_little_is_cut_off_at_the_limit) {
  http::limits l;
  l.stream_backlog = 1u << 20;
  websocket_server s{l};
  websocket_client c{s.port()};
  c.open("b");
  s.stream_ = s.accepted();
  for (int i = 0; i < 200; ++i)
    s.stream_->send(std::string(100000, 'x'));
  BOOST_TEST(s.has_ended());
}

BOOST_AUTO_TEST_CASE(the_backlog_is_counted_and_its_end_told) {
  websocket_server s;
  websocket_client c{s.port()};
  c.open("b");
  s.stream_ = s.accepted();
  for (int i = 0; i < 100; ++i)
    s.stream_->send(std::string(100000, 'x'));
  BOOST_TEST(s.stream_->backlog() > 0u);
  for (int i = 0; i < 100; ++i)
    BOOST_TEST(c.read().size() == 100000u);
  auto until = std::chrono::steady_clock::now() + patience;
  while ((s.stream_->backlog() > 0 || s.drained() == 0)
         && std::chrono::steady_clock::now() < until)
    std::this_thread::yield();
  BOOST_TEST(s.stream_->backlog() == 0u);
  BOOST_TEST(s.drained() > 0);
}

BOOST_AUTO_TEST_CASE(what_breaks_the_protocol_is_closed_with_the_reason) {
  http::limits l;
  l.body_bytes = 1000;
  struct row {
    std::string bytes;
    beast_websocket::close_code code;
  };
  const row rows[] = {
      {"\x82\x01x", beast_websocket::close_code::protocol_error},
      {std::string("\x82\xfe\x03\xe9") + "aaaa",
       beast_websocket::close_code::too_big},
  };
  for (const auto& r : rows) {
    websocket_server s{l};
    websocket_client c{s.port()};
    c.open("b");
    s.stream_ = s.accepted();
    boost::asio::write(c.socket.next_layer(), boost::asio::buffer(r.bytes));
    c.read();
    BOOST_TEST((c.error == beast_websocket::error::closed));
    BOOST_TEST((c.socket.reason().code == r.code));
    BOOST_TEST(s.has_ended());
  }
}

BOOST_AUTO_TEST_CASE(nobody_gets_a_websocket_who_gets_nothing_else) {
  http::access_policy who;
  who.token = "secret";
  struct row {
    const char* headers;
    const char* status;
  };
  const std::string handshake = "Connection: keep-alive, Upgrade\r\n"
                                "Sec-WebSocket-Version: 13\r\n"
                                "Sec-WebSocket-Key: dGhlIHNhbXBsZQ==\r\n";
  // clang-format off
  const row rows[] = {
      {"T: Bearer secret|Host: localhost|P: b|Upgrade: WebSocket", "101"},
      {"Host: localhost|P: b|Upgrade: websocket", "401"},
      {"T: Bearer guessed|Host: localhost|P: b|Upgrade: websocket", "401"},
      {"T: Bearer secret|Host: localhost|P: b|Upgrade: websocket|Origin: http://a.example", "403"},
      {"T: Bearer secret|Host: a.example|P: b|Upgrade: websocket", "421"},
      {"T: Bearer secret|Host: localhost|P: unknown|Upgrade: websocket", "400"},
      {"T: Bearer secret|Host: localhost|P: b|Upgrade: h2c", "400"},
      {"T: Bearer secret|Host: localhost|P: b", "400"},
  };
  // clang-format on
  websocket_server s{{}, who};
  for (const auto& r : rows) {
    std::string headers = r.headers;
    for (auto [what, with] :
         {std::pair{"T:", "Authorization:"},
          std::pair{"P:", "Sec-WebSocket-Protocol:"}, std::pair{"|", "\r\n"}})
      boost::replace_all(headers, what, with);
    boost::asio::io_context io;
    tcp::socket socket{io};
    socket.connect({boost::asio::ip::address_v4::loopback(), s.port()});
    boost::asio::write(socket,
                       boost::asio::buffer("GET / HTTP/1.1\r\n" + handshake
                                           + headers + "\r\n\r\n"));
    std::string status(12, '\0');
    boost::asio::read(socket, boost::asio::buffer(status));
    BOOST_TEST(status == std::string("HTTP/1.1 ") + r.status, r.headers);
  }
}

BOOST_AUTO_TEST_CASE(dropping_the_stream_and_stopping_the_server_end_it) {
  websocket_server s;
  {
    websocket_client c{s.port()};
    c.open("b");
    s.accepted().reset();
    c.read();
    BOOST_TEST((c.error == beast_websocket::error::closed));
  }
  websocket_server other;
  websocket_client c{other.port()};
  c.open("b");
  other.stream_ = other.accepted();
  other.stop();
  c.read();
  BOOST_TEST(c.error);
  BOOST_TEST(other.has_ended());
  other.stream_->send("too late");
}

BOOST_AUTO_TEST_SUITE_END()
