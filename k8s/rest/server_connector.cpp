#include "k8s/rest/server_connector.hpp"

#include "k8s/rest/connect_error.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

#include <utility>

namespace troupe::k8s::rest {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

/// Of a proxy's answer, which has no body that we would want.
constexpr std::size_t most_of_a_head = 8u << 10;

/// "[::1]:6443", also where the URL has no port.
std::string authority_with_port(const server_address& a) {
  bool has_port = a.authority.size() > a.port.size()
                  && a.authority.substr(a.authority.size() - a.port.size() - 1)
                         == ":" + a.port;
  return has_port ? a.authority : a.authority + ":" + a.port;
}

/// "HTTP/1.1 200 OK" and the like.
bool is_success(const std::string& status_line) {
  return status_line.rfind("HTTP/1.", 0) == 0 && status_line.size() >= 12
         && status_line[8] == ' ' && status_line[9] == '2';
}

} // namespace

server_connector::server_connector(const asio::any_io_executor& executor,
                                   server_endpoint& to)
    : to_(to)
    , resolver_(executor) {
  // nop
}

void server_connector::open(byte_stream& stream, handler done) {
  stream_ = &stream;
  done_ = std::move(done);
  cancelled_ = false;
  resolve_then_connect();
}

void server_connector::cancel() {
  cancelled_ = true;
  resolver_.cancel();
}

const std::string& server_connector::dialed_host() const {
  return to_.proxy ? to_.proxy->host : to_.address.host;
}

const std::string& server_connector::dialed_port() const {
  return to_.proxy ? to_.proxy->port : to_.address.port;
}

void server_connector::resolve_then_connect() {
  auto flags = tcp::resolver::numeric_service;
  error_code is_name;
  asio::ip::make_address(dialed_host(), is_name);
  if (!is_name) { // Without the resolver's thread.
    error_code e;
    auto found = resolver_.resolve(dialed_host(), dialed_port(),
                                   flags | tcp::resolver::numeric_host, e);
    if (!e)
      return on_resolved(e, found);
  }
  resolver_.async_resolve(
      dialed_host(), dialed_port(), flags,
      [this](error_code e, const addresses& found) { on_resolved(e, found); });
}

void server_connector::on_resolved(error_code e, const addresses& found) {
  if (e || cancelled_)
    return fail_before_tunnel("the name " + dialed_host() + " is not known ("
                              + e.message() + ")");
  stream_->connect(found, [this](error_code why) { on_connected(why); });
}

void server_connector::on_connected(error_code e) {
  if (e || cancelled_)
    return fail_before_tunnel(describe_connect_error(e.value()));
  if (to_.proxy)
    ask_proxy_for_tunnel();
  else
    start_tls_if_needed_and_finish();
}

void server_connector::ask_proxy_for_tunnel() {
  auto to = authority_with_port(to_.address);
  text_ = "CONNECT " + to + " HTTP/1.1\r\nHost: " + to
          + "\r\nUser-Agent: troupe\r\n";
  if (!to_.proxy->authorization.empty())
    text_ += "Proxy-Authorization: " + to_.proxy->authorization + "\r\n";
  text_ += "\r\n";
  asio::async_write(stream_->socket(), asio::buffer(text_),
                    [this](error_code e, std::size_t) {
                      if (e || cancelled_)
                        return fail_before_tunnel(e.message());
                      read_answer_of_proxy();
                    });
}

void server_connector::read_answer_of_proxy() {
  text_.clear();
  asio::async_read_until(
      stream_->socket(), asio::dynamic_buffer(text_, most_of_a_head),
      "\r\n\r\n", [this](error_code e, std::size_t) {
        if (e || cancelled_)
          return fail_before_tunnel(
              e == asio::error::eof ? "it closed the connection" : e.message());
        on_answer_of_proxy();
      });
}

void server_connector::on_answer_of_proxy() {
  auto status = text_.substr(0, text_.find("\r\n"));
  if (status.find(" 407 ") == 8)
    return fail_before_tunnel("it asks for a login (" + status
                              + "); write http://USER:PASSWORD@HOST:PORT");
  if (!is_success(status))
    return fail_before_tunnel(
        "it does not connect us: "
        + (status.empty() ? "its answer is empty" : status));
  // Of the server nothing can have come yet: we speak first.
  if (text_.find("\r\n\r\n") + 4 != text_.size())
    return fail_before_tunnel("its answer is no tunnel");
  start_tls_if_needed_and_finish();
}

void server_connector::start_tls_if_needed_and_finish() {
  text_ = {};
  stream_->handshake_if_tls(to_.expected_name, [this](error_code why) {
    finish(why ? to_.terms.describe_handshake_failure(why.message()) : "");
  });
}

void server_connector::fail_before_tunnel(const std::string& why) {
  auto text =
      to_.proxy ? "the proxy " + to_.proxy->name + " failed: " + why : why;
  // Not from within open().
  asio::post(resolver_.get_executor(), [this, text] { finish(text); });
}

void server_connector::finish(const std::string& why) {
  text_ = {};
  auto done = std::exchange(done_, nullptr);
  done(cancelled_ ? "given up" : why); // Then no other reason counts.
}

} // namespace troupe::k8s::rest
