#include "k8s/http/server.hpp"
#include "tests/k8s/http/self_signed_certificate.hpp"

#include <boost/asio.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/test/unit_test.hpp>

#include <future>

using namespace troupe::k8s;
using namespace std::chrono_literals;
using boost::asio::ip::tcp;
namespace asio = boost::asio;

namespace {

/// A server that speaks TLS, and what its clients know of it.
struct secure_server {
  explicit secure_server(http::handler h, http::limits l = {}) {
    auto self = http::make_self_signed_certificate(
        {"localhost", "127.0.0.1", "::1", "no/name"});
    BOOST_REQUIRE(self);
    certificate = self->certificate;
    http::access_policy who;
    who.server_certificate = std::move(*self);
    listen(std::move(h), l, std::move(who));
  }
  secure_server(http::handler h, http::limits l, http::access_policy who) {
    listen(std::move(h), l, std::move(who));
  }

  void listen(http::handler h, http::limits l, http::access_policy who) {
    auto s = http::listen("127.0.0.1:0", std::move(h), l, std::move(who));
    BOOST_REQUIRE(s);
    server = std::move(*s);
  }

  std::string certificate;
  std::unique_ptr<http::server> server;
};

void short_echo(http::request r, const http::response_writer_ptr& x) {
  http::response a;
  a.body = r.method + " " + r.path + " " + r.body;
  x->reply(a);
}

struct secure_wire {
  explicit secure_wire(const secure_server& s, const std::string& name) {
    context.add_certificate_authority(asio::buffer(s.certificate));
    stream.set_verify_mode(asio::ssl::verify_peer);
    stream.set_verify_callback(asio::ssl::host_name_verification(name));
    stream.next_layer().connect(
        {asio::ip::address_v4::loopback(), s.server->port()});
    timeval limit{20, 0};
    ::setsockopt(stream.next_layer().native_handle(), SOL_SOCKET, SO_RCVTIMEO,
                 &limit, sizeof limit);
    stream.handshake(asio::ssl::stream_base::client, refused);
  }
  void send(const std::string& text) {
    boost::system::error_code cut;
    asio::write(stream, asio::buffer(text), cut);
  }
  std::string receive(const std::string& end) {
    boost::system::error_code over;
    std::string received;
    while (received.find(end) == std::string::npos && !over) {
      char piece[65536];
      auto n = stream.read_some(asio::buffer(piece), over);
      received.append(piece, n);
    }
    return received;
  }

  asio::io_context io;
  asio::ssl::context context{asio::ssl::context::tls_client};
  asio::ssl::stream<tcp::socket> stream{io, context};
  boost::system::error_code refused;
};

/// A client whose bytes are sent as the test wants it.
struct piecewise_client {
  explicit piecewise_client(const secure_server& s)
      : ssl(SSL_new(context.native_handle()), SSL_free) {
    SSL_set_bio(ssl.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    SSL_set_connect_state(ssl.get());
    socket.connect({asio::ip::address_v4::loopback(), s.server->port()});
    socket.set_option(tcp::no_delay{true});
  }

  /// What OpenSSL wants to send.
  std::string take_unsent() {
    auto* out = SSL_get_wbio(ssl.get());
    std::string result(BIO_ctrl_pending(out), '\0');
    BIO_read(out, result.data(), static_cast<int>(result.size()));
    return result;
  }
  void send(const std::string& bytes, std::size_t piece) {
    for (std::size_t i = 0; i < bytes.size(); i += piece)
      asio::write(socket, asio::buffer(bytes.substr(i, piece)));
  }
  /// Whether anything came.
  bool receive() {
    char bytes[4096];
    boost::system::error_code end;
    auto n = socket.read_some(asio::buffer(bytes), end);
    BIO_write(SSL_get_rbio(ssl.get()), bytes, static_cast<int>(n));
    return n > 0;
  }

  asio::io_context io;
  asio::ssl::context context{asio::ssl::context::tls_client};
  std::unique_ptr<SSL, decltype(&SSL_free)> ssl;
  tcp::socket socket{io};
};

/// The whole answer to a request without TLS.
std::string plain_answer(const secure_server& s) {
  asio::io_context io;
  tcp::socket plain{io};
  plain.connect({asio::ip::address_v4::loopback(), s.server->port()});
  asio::write(plain, asio::buffer(std::string{
                         "GET /plain HTTP/1.1\r\nHost: localhost\r\n"
                         "Connection: close\r\n\r\n"}));
  std::string text;
  boost::system::error_code end;
  asio::read(plain, asio::dynamic_buffer(text), end);
  return text;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_client_that_knows_the_certificate_is_served) {
  secure_server s{short_echo};
  for (auto name : {"localhost", "127.0.0.1"}) {
    secure_wire w{s, name};
    BOOST_REQUIRE_MESSAGE(!w.refused, w.refused.message());
    // Several requests on one connection, one larger than a record of TLS.
    for (std::size_t size : {0u, 3u, 100'000u}) {
      std::string body(size, 'x');
      w.send("POST /" + std::to_string(size)
             + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
             + std::to_string(size) + "\r\n\r\n" + body);
      auto wanted = "POST /" + std::to_string(size) + " " + body;
      BOOST_TEST((w.receive(wanted).find(wanted) != std::string::npos));
    }
  }
}

BOOST_AUTO_TEST_CASE(another_name_or_authority_is_not_trusted) {
  secure_server s{short_echo};
  secure_server other{short_echo};
  BOOST_TEST(bool(secure_wire(s, "evil.example").refused));
  BOOST_TEST(bool(secure_wire(s, "no/name").refused));
  other.certificate.swap(s.certificate);
  BOOST_TEST(bool(secure_wire(s, "localhost").refused));
}

BOOST_AUTO_TEST_CASE(a_new_certificate_is_shown_to_new_connections) {
  secure_server s{short_echo};
  secure_wire open{s, "localhost"};
  auto is_served = [](secure_wire& w) {
    w.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    return w.receive("GET / ").find("200 OK") != std::string::npos;
  };
  BOOST_TEST(is_served(open));
  auto renewed = http::make_self_signed_certificate({"localhost"});
  BOOST_REQUIRE(renewed);
  BOOST_REQUIRE(s.server->use_certificate(*renewed));
  BOOST_TEST(bool(secure_wire(s, "localhost").refused));
  s.certificate = renewed->certificate;
  secure_wire late{s, "localhost"};
  BOOST_TEST(is_served(late));
  BOOST_TEST(is_served(open));
  // What cannot be used changes nothing.
  auto other = http::make_self_signed_certificate({"localhost"});
  BOOST_REQUIRE(other);
  BOOST_TEST(!s.server->use_certificate({other->certificate, renewed->key}));
  secure_wire later{s, "localhost"};
  BOOST_TEST(is_served(later));
}

BOOST_AUTO_TEST_CASE(without_its_certificate_a_server_of_tls_serves_nobody) {
  auto pair = http::make_self_signed_certificate({"localhost"});
  BOOST_REQUIRE(pair);
  http::access_policy who;
  who.tls_only = true;
  secure_server s{short_echo, {}, who};
  s.certificate = pair->certificate;
  BOOST_TEST(bool(secure_wire(s, "localhost").refused));
  BOOST_TEST((plain_answer(s).find(" 400 ") != std::string::npos));
  BOOST_REQUIRE(s.server->use_certificate(*pair));
  BOOST_TEST(!secure_wire(s, "localhost").refused);
  BOOST_TEST((plain_answer(s).find(" 400 ") != std::string::npos));
}

BOOST_AUTO_TEST_CASE(the_same_port_takes_plain_http) {
  secure_server s{short_echo};
  BOOST_TEST((plain_answer(s).find("GET /plain") != std::string::npos));
}

BOOST_AUTO_TEST_CASE(a_stream_goes_on_until_the_client_leaves) {
  for (bool politely : {true, false}) {
    std::promise<http::response_writer_ptr> asked;
    std::promise<void> gone;
    secure_server s{[&](auto, auto x) {
      x->start({});
      x->write("hello");
      x->on_disconnect([&] { gone.set_value(); });
      asked.set_value(x);
    }};
    auto left = gone.get_future();
    http::response_writer_ptr x;
    {
      secure_wire w{s, "localhost"};
      w.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
      BOOST_TEST((w.receive("hello\r\n").find("200 OK") != std::string::npos));
      x = asked.get_future().get();
      x->write("world");
      BOOST_TEST((w.receive("world\r\n").find("world") != std::string::npos));
      BOOST_TEST((left.wait_for(0s) == std::future_status::timeout));
      if (politely) {
        // The farewell of TLS is sent, its answer not awaited.
        boost::system::error_code ignored;
        w.stream.next_layer().non_blocking(true);
        w.stream.shutdown(ignored);
        w.stream.next_layer().close(ignored);
        BOOST_TEST((left.wait_for(20s) == std::future_status::ready));
      }
    }
    if (!politely)
      BOOST_TEST((left.wait_for(20s) == std::future_status::ready));
  }
}

BOOST_AUTO_TEST_CASE(a_broken_handshake_ends_the_connection) {
  http::limits hasty;
  hasty.request_time = 1s;
  secure_server s{short_echo, hasty};
  // Rubbish, and a handshake that is never finished.
  for (std::string text : {"\x16\x03\x01\x02\x03rubbish", "\x16\x03"}) {
    asio::io_context io;
    tcp::socket raw{io};
    raw.connect({asio::ip::address_v4::loopback(), s.server->port()});
    asio::write(raw, asio::buffer(text));
    std::string received;
    boost::system::error_code end;
    asio::read(raw, asio::dynamic_buffer(received),
               end); // Returns: it is closed.
    BOOST_TEST((received.find("HTTP") == std::string::npos));
  }
}

BOOST_AUTO_TEST_CASE(a_handshake_may_come_in_pieces_and_with_a_request) {
  secure_server s{short_echo};
  piecewise_client c{s};
  auto* ssl = c.ssl.get();
  // Its first message, a byte at a time.
  BOOST_TEST(SSL_do_handshake(ssl) < 0);
  c.send(c.take_unsent(), 1);
  while (SSL_do_handshake(ssl) <= 0)
    BOOST_REQUIRE(c.receive());
  // Its last one, with the request, at once.
  const std::string request = "GET /early HTTP/1.1\r\nHost: localhost\r\n\r\n";
  BOOST_TEST(SSL_write(ssl, request.data(), static_cast<int>(request.size()))
             == static_cast<int>(request.size()));
  auto all = c.take_unsent();
  c.send(all, all.size());
  std::string answer;
  while (answer.find("GET /early ") == std::string::npos) {
    char piece[1024];
    if (int n = SSL_read(ssl, piece, sizeof piece); n > 0)
      answer.append(piece, static_cast<std::size_t>(n));
    else
      BOOST_REQUIRE(c.receive());
  }
  BOOST_TEST(answer.rfind("HTTP/1.1 200 OK", 0) == 0u);
}

BOOST_AUTO_TEST_CASE(a_certificate_that_is_none_is_told) {
  http::access_policy who;
  who.server_certificate = {"no PEM", "no PEM"};
  auto s = http::listen("127.0.0.1:0", short_echo, {}, who);
  BOOST_REQUIRE(!s);
  BOOST_TEST((s.error().message.find("certificate") != std::string::npos));
}
