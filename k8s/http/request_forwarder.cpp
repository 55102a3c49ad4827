#include "k8s/http/request_forwarder.hpp"

#include "k8s/general/addresses.hpp"
#include "k8s/uri.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>

#include <thread>
#include <tuple>
#include <utility>

namespace troupe::k8s::http {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace bhttp = boost::beast::http;
using asio::ip::tcp;
using beast_request = bhttp::request<bhttp::string_body>;

constexpr std::size_t most_of_a_response = 16u << 20;

std::string make_request_target(const request& q) {
  auto target = k8s::percent_encode(q.path, "/");
  char separator = '?';
  for (const auto& [key, value] : q.query) {
    target +=
        separator + k8s::percent_encode(key) + '=' + k8s::percent_encode(value);
    separator = '&';
  }
  return target;
}

beast_request make_request(const forward_target& to, const request& q,
                           const std::map<std::string, std::string>& headers) {
  beast_request r;
  r.version(11);
  r.method_string(q.method);
  r.target(make_request_target(q));
  r.set(bhttp::field::host, to.address);
  r.set(bhttp::field::connection, "close");
  if (auto type = q.headers.find("content-type"); type != q.headers.end())
    r.set(bhttp::field::content_type, type->second);
  for (const auto& [name, value] : headers)
    r.set(name, value);
  r.body() = q.body;
  r.prepare_payload();
  return r;
}

/// Plain HTTP: there is nothing to agree on.
class plain_stream {
public:
  plain_stream(asio::io_context& io, const forward_target&)
      : stream_(io) {}

  beast::tcp_stream& tcp() { return stream_; }
  beast::tcp_stream& http() { return stream_; }
  template <class Done>
  void async_handshake(Done done) {
    done(beast::error_code{});
  }

private:
  beast::tcp_stream stream_;
};

/// TLS, with a server that these authorities vouch for.
class tls_stream {
public:
  tls_stream(asio::io_context& io, const forward_target& to)
      : stream_(io, trusting(context_, to.authorities)) {
    stream_.set_verify_callback(
        asio::ssl::host_name_verification{to.server_name});
  }

  beast::tcp_stream& tcp() { return stream_.next_layer(); }
  beast::ssl_stream<beast::tcp_stream>& http() { return stream_; }
  template <class Done>
  void async_handshake(Done done) {
    stream_.async_handshake(asio::ssl::stream_base::client, std::move(done));
  }

private:
  /// What is no certificate is trusted by nobody.
  static asio::ssl::context& trusting(asio::ssl::context& c,
                                      const std::string& authorities) {
    boost::system::error_code ignored;
    c.add_certificate_authority(asio::buffer(authorities), ignored);
    c.set_verify_mode(asio::ssl::verify_peer, ignored);
    return c;
  }

  asio::ssl::context context_{asio::ssl::context::tls_client};
  beast::ssl_stream<beast::tcp_stream> stream_;
};

/// One request on a connection of its own.
template <class Stream>
class forward_attempt
    : public std::enable_shared_from_this<forward_attempt<Stream>> {
public:
  forward_attempt(asio::io_context& io, const forward_target& to,
                  beast_request r, response fallback, response_writer_ptr back)
      : stream_(io, to)
      , resolver_(io)
      , request_(std::move(r))
      , fallback_(std::move(fallback))
      , back_(std::move(back)) {
    response_.body_limit(most_of_a_response);
    std::tie(host_, port_) = k8s::split_host_and_port(to.address);
    if (port_.empty())
      port_ = to.authorities.empty() ? "80" : "443";
  }

  ~forward_attempt() {
    if (back_)
      back_->reply(std::move(fallback_));
  }

  void start(std::chrono::seconds time_limit) {
    stream_.tcp().expires_after(time_limit);
    resolver_.async_resolve(
        host_, port_,
        [self = this->shared_from_this()](
            beast::error_code e, const tcp::resolver::results_type& found) {
          if (!e)
            self->connect(found);
        });
  }

private:
  void connect(const tcp::resolver::results_type& found) {
    stream_.tcp().async_connect(found, [self = this->shared_from_this()](
                                           beast::error_code e, const auto&) {
      if (!e)
        self->shake_hands();
    });
  }

  void shake_hands() {
    stream_.async_handshake(
        [self = this->shared_from_this()](beast::error_code e) {
          if (!e)
            self->write_request();
        });
  }

  void write_request() {
    bhttp::async_write(
        stream_.http(), request_,
        [self = this->shared_from_this()](beast::error_code e, std::size_t) {
          if (!e)
            self->read_response();
        });
  }

  void read_response() {
    bhttp::async_read(
        stream_.http(), buffer_, response_,
        [self = this->shared_from_this()](beast::error_code e, std::size_t) {
          if (!e)
            self->forward_response_back();
        });
  }

  void forward_response_back() {
    auto& message = response_.get();
    response r;
    r.status = static_cast<int>(message.result_int());
    auto type = message[bhttp::field::content_type];
    r.content_type.assign(type.data(), type.size());
    if (auto later = message[bhttp::field::retry_after]; !later.empty())
      r.headers["Retry-After"] = std::string{later.data(), later.size()};
    r.body = std::move(message.body());
    std::exchange(back_, nullptr)->reply(std::move(r));
  }

  Stream stream_;
  tcp::resolver resolver_;
  std::string host_;
  std::string port_;
  beast_request request_;
  bhttp::response_parser<bhttp::string_body> response_;
  beast::flat_buffer buffer_;
  response fallback_;
  response_writer_ptr back_;
};

class running_forwarder : public request_forwarder {
public:
  explicit running_forwarder(std::chrono::seconds limit)
      : limit_(limit)
      , thread_([this] { io_.run(); }) {}

  ~running_forwarder() override {
    io_.stop();
    thread_.join();
  }

  void forward(const forward_target& to, const request& q,
               const std::map<std::string, std::string>& headers,
               response fallback, response_writer_ptr back) override {
    auto r = make_request(to, q, headers);
    if (to.authorities.empty())
      start<plain_stream>(to, std::move(r), std::move(fallback),
                          std::move(back));
    else
      start<tls_stream>(to, std::move(r), std::move(fallback), std::move(back));
  }

private:
  template <class Stream>
  void start(const forward_target& to, beast_request r, response fallback,
             response_writer_ptr back) {
    auto one = std::make_shared<forward_attempt<Stream>>(
        io_, to, std::move(r), std::move(fallback), std::move(back));
    asio::post(io_, [one, limit = limit_] { one->start(limit); });
  }

  asio::io_context io_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_{
      io_.get_executor()};
  std::chrono::seconds limit_;
  std::thread thread_;
};

} // namespace

std::unique_ptr<request_forwarder>
make_request_forwarder(std::chrono::seconds limit) {
  return std::make_unique<running_forwarder>(limit);
}

} // namespace troupe::k8s::http
