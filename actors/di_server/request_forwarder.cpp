#include "actors/di_server/request_forwarder.hpp"

#include "k8s/general/addresses.hpp"
#include "k8s/uri.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include <thread>
#include <tuple>

namespace troupe::actors {

namespace {

using k8s::http::request;
using k8s::http::response;
using k8s::http::response_writer_ptr;

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace bhttp = boost::beast::http;
using asio::ip::tcp;

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

/// One request on a connection of its own.
class forward_attempt : public std::enable_shared_from_this<forward_attempt> {
public:
  forward_attempt(asio::io_context& io, response fallback,
                  response_writer_ptr back)
      : stream_(io)
      , resolver_(io)
      , fallback_(std::move(fallback))
      , back_(std::move(back)) {
    response_.body_limit(most_of_a_response);
  }

  ~forward_attempt() {
    if (back_)
      back_->reply(std::move(fallback_));
  }

  void build_request(const std::string& server_address, const request& q,
                     const std::map<std::string, std::string>& headers) {
    std::tie(host_, port_) = k8s::split_host_and_port(server_address);
    if (port_.empty())
      port_ = "80";
    request_.version(11);
    request_.method_string(q.method);
    request_.target(make_request_target(q));
    request_.set(bhttp::field::host, server_address);
    request_.set(bhttp::field::connection, "close");
    if (auto type = q.headers.find("content-type"); type != q.headers.end())
      request_.set(bhttp::field::content_type, type->second);
    for (const auto& [name, value] : headers)
      request_.set(name, value);
    request_.body() = q.body;
    request_.prepare_payload();
  }

  void start(std::chrono::seconds time_limit) {
    stream_.expires_after(time_limit);
    resolver_.async_resolve(
        host_, port_,
        [self = shared_from_this()](beast::error_code e,
                                    const tcp::resolver::results_type& found) {
          if (!e)
            self->connect(found);
        });
  }

private:
  void connect(const tcp::resolver::results_type& found) {
    stream_.async_connect(
        found, [self = shared_from_this()](beast::error_code e, const auto&) {
          if (!e)
            self->write_request();
        });
  }

  void write_request() {
    bhttp::async_write(
        stream_, request_,
        [self = shared_from_this()](beast::error_code e, std::size_t) {
          if (!e)
            self->read_response();
        });
  }

  void read_response() {
    bhttp::async_read(
        stream_, buffer_, response_,
        [self = shared_from_this()](beast::error_code e, std::size_t) {
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
    r.body = std::move(message.body());
    std::exchange(back_, nullptr)->reply(std::move(r));
  }

  beast::tcp_stream stream_;
  tcp::resolver resolver_;
  std::string host_;
  std::string port_;
  bhttp::request<bhttp::string_body> request_;
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

  void forward(const std::string& server_address, const request& q,
               const std::map<std::string, std::string>& headers,
               response fallback, response_writer_ptr back) override {
    auto one = std::make_shared<forward_attempt>(io_, std::move(fallback),
                                                 std::move(back));
    one->build_request(server_address, q, headers);
    asio::post(io_, [one, limit = limit_] { one->start(limit); });
  }

private:
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

} // namespace troupe::actors
