#pragma once

#include "k8s/general/tls_stream.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/beast/core/role.hpp>

#include <optional>
#include <string>
#include <utility>

namespace troupe::k8s::http {

/// The bytes of one connection: plain, or under TLS after the handshake. An
/// AsyncStream, as Asio calls it.
class maybe_tls_socket {
public:
  using socket_type = boost::asio::ip::tcp::socket;
  using executor_type = socket_type::executor_type;

  explicit maybe_tls_socket(socket_type s)
      : socket_(std::move(s)) {}

  executor_type get_executor() { return socket_.get_executor(); }
  socket_type& tcp_socket() { return socket_; }
  const socket_type& tcp_socket() const { return socket_; }
  bool is_secure() const { return tls_.has_value(); }

  /// Speaks TLS from now on. `received` is what the client has sent already.
  void async_handshake(boost::asio::ssl::context& c, std::string received,
                       tls_stream::io_handler done) {
    tls_.emplace(socket_, c);
    tls_->handshake_as_server(std::move(received), std::move(done));
  }

  template <class Buffers, class Handler>
  void async_read_some(const Buffers& into, Handler&& done) {
    if (tls_)
      tls_->read_some(first_nonempty_buffer<boost::asio::mutable_buffer>(into),
                      make_copyable_handler(std::forward<Handler>(done)));
    else
      socket_.async_read_some(into, std::forward<Handler>(done));
  }

  template <class Buffers, class Handler>
  void async_write_some(const Buffers& from, Handler&& done) {
    if (tls_)
      tls_->write_some(first_nonempty_buffer<boost::asio::const_buffer>(from),
                       make_copyable_handler(std::forward<Handler>(done)));
    else
      socket_.async_write_some(from, std::forward<Handler>(done));
  }

private:
  socket_type socket_;
  std::optional<tls_stream> tls_;
};

/// Beast calls this at the end of a WebSocket; the connection closes itself.
inline void beast_close_socket(maybe_tls_socket&) {
  // nop
}

template <class Handler>
void async_teardown(boost::beast::role_type, maybe_tls_socket& socket,
                    Handler&& done) {
  boost::asio::post(socket.get_executor(),
                    [done = std::forward<Handler>(done)]() mutable {
                      done(boost::system::error_code{});
                    });
}

} // namespace troupe::k8s::http
