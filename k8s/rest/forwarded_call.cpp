#include "k8s/rest/forwarded_call.hpp"

#include "k8s/codec/codec.hpp"
#include "k8s/rest/byte_stream.hpp"
#include "k8s/rest/server_connector.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/websocket/stream.hpp>

namespace troupe::k8s::rest {

namespace {

namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using error_code = beast::error_code;

/// One channel for the bytes of the connection, one for its error.
constexpr char data_channel = 0;
constexpr const char* subprotocol = "v4.channel.k8s.io";
constexpr std::size_t most_of_an_answer = 256u << 20;

class websocket_call : public forwarded_call,
                       public std::enable_shared_from_this<websocket_call> {
  /// A handler that ends the call on an error, else calls `next`. Up here
  /// because its type is deduced.
  template <class F>
  auto make_handler_or_finish_on_error(F next) {
    return [self = shared_from_this(), next](error_code e,
                                             const auto&... results) {
      if (!self->done_)
        return;
      if (e)
        self->finish(self->failure_of_error(e));
      else
        next(*self, results...);
    };
  }

public:
  websocket_call(boost::asio::io_context& io, forwarded_target target,
                 std::chrono::milliseconds limit,
                 std::function<void(result<std::string>)> done)
      : target_(std::move(target))
      , limit_(limit)
      , done_(std::move(done))
      , connector_(io.get_executor(), *target_.server)
      , deadline_(io)
      , socket_(io.get_executor(), target_.server->tls_context()) {
    answer_.body_limit(most_of_an_answer);
  }

  void start() override {
    deadline_.expires_after(limit_);
    deadline_.async_wait(make_handler_or_finish_on_error(
        [](auto& self) { self.finish_with_timeout(); }));
    connector_.open(socket_.next_layer(), [self = shared_from_this()](
                                              const std::string& why) {
      if (!why.empty())
        self->finish(self->target_.server->unreachable_failure(why));
      else if (self->done_)
        self->upgrade_to_websocket();
    });
  }

  void cancel() override { finish(failure{ec::cancelled, "given up"}); }

private:
  void upgrade_to_websocket() {
    socket_.set_option(websocket::stream_base::decorator(
        [token = target_.token](websocket::request_type& r) {
          r.set(http::field::sec_websocket_protocol, subprotocol);
          r.set(http::field::user_agent, "troupe");
          if (!token.empty())
            r.set(http::field::authorization, "Bearer " + token);
        }));
    const auto& address = target_.server->address;
    auto path = address.base_path + "/api/v1/namespaces/" + target_.to.ns
                + "/pods/" + target_.to.pod
                + "/portforward?ports=" + std::to_string(target_.to.port);
    socket_.async_handshake(upgraded_, address.authority, path,
                            make_handler_or_finish_on_error([](auto& self) {
                              self.write_forwarded_request();
                            }));
  }

  void write_forwarded_request() {
    const auto& to = target_.to;
    outgoing_ =
        std::string{data_channel} + "GET " + target_.path
        + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(to.port)
        + "\r\nAccept: application/json\r\n"
        + (to.token.empty() ? "" : "Authorization: Bearer " + to.token + "\r\n")
        + "Connection: close\r\n\r\n";
    socket_.binary(true);
    socket_.async_write(
        boost::asio::buffer(outgoing_),
        make_handler_or_finish_on_error(
            [](auto& self, std::size_t) { self.read_frame(); }));
  }

  void read_frame() {
    socket_.async_read(
        incoming_, make_handler_or_finish_on_error([](auto& self, std::size_t) {
          self.add_frame_and_read_on();
        }));
  }

  void add_frame_and_read_on() {
    auto frame = beast::buffers_to_string(incoming_.data());
    incoming_.clear();
    if (!frame.empty()) {
      bool data = frame[0] == data_channel;
      // The first bytes of each channel are the number of the port.
      auto& port = data ? data_port_left_ : error_port_left_;
      auto skipped = std::min(port, frame.size() - 1);
      port -= skipped;
      (data ? unread_ : error_) += frame.substr(1 + skipped);
    }
    if (!error_.empty()) {
      finish(failure{ec::unreachable,
                     "the port-forward failed: " + first_bytes(error_)});
      return;
    }
    parse_answer_and_finish_if_done();
    if (done_)
      read_frame();
  }

  void parse_answer_and_finish_if_done() {
    while (!unread_.empty() && !answer_.is_done()) {
      error_code e;
      auto used = answer_.put(boost::asio::buffer(unread_), e);
      unread_.erase(0, used);
      if (e == http::error::need_more)
        return;
      if (e) {
        finish(failure{ec::garbage, "the server in the pod does not speak "
                                    "HTTP: "
                                        + e.message()});
        return;
      }
    }
    if (answer_.is_done())
      finish_with_answer();
  }

  void finish_with_answer() {
    auto& message = answer_.get();
    auto status = static_cast<int>(message.result_int());
    if (status >= 200 && status < 300)
      finish(std::move(message.body()));
    else
      finish(decode_status(message.body(), status));
  }

  void finish(result<std::string> how) {
    if (!done_)
      return;
    connector_.cancel();
    deadline_.cancel();
    socket_.next_layer().close();
    std::exchange(done_, nullptr)(std::move(how));
  }

  void finish_with_timeout() {
    finish(failure{ec::timeout,
                   "no answer through " + target_.server->server + " in time"});
  }

  failure failure_of_error(error_code e) {
    if (e == websocket::error::upgrade_declined)
      return decode_status(upgraded_.body(),
                           static_cast<int>(upgraded_.result_int()));
    if (e == websocket::error::closed)
      return {ec::unreachable, "the port-forward ended before the answer did"};
    return target_.server->unreachable_failure(e.message());
  }

  static std::string first_bytes(const std::string& text) {
    constexpr std::size_t most = 300;
    return text.substr(0, most);
  }

  forwarded_target target_;
  std::chrono::milliseconds limit_;
  std::function<void(result<std::string>)> done_; ///< Empty: it has ended.
  server_connector connector_;
  boost::asio::steady_timer deadline_;
  websocket::stream<byte_stream, false> socket_; ///< Without compression.
  websocket::response_type upgraded_;
  std::string outgoing_;
  beast::flat_buffer incoming_;
  std::size_t data_port_left_ = 2;
  std::size_t error_port_left_ = 2;
  std::string unread_; ///< Of the answer of the server in the pod.
  std::string error_;
  http::response_parser<http::string_body> answer_;
};

} // namespace

std::shared_ptr<forwarded_call>
make_forwarded_call(boost::asio::io_context& io, forwarded_target target,
                    std::chrono::milliseconds limit,
                    std::function<void(result<std::string>)> done) {
  return std::make_shared<websocket_call>(io, std::move(target), limit,
                                          std::move(done));
}

} // namespace troupe::k8s::rest
