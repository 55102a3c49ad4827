#pragma once

#include "k8s/general/tls_stream.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/beast/core/role.hpp>
#include <boost/system/error_code.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace troupe::k8s::rest {

/// A connection with or without TLS. Both are one type, since Beast is compiled
/// once for each type of stream and of handler. An AsyncStream for one thread
/// or strand; it reads and writes one buffer at a time.
class byte_stream {
public:
  using executor_type = boost::asio::any_io_executor;
  using error_code = boost::system::error_code;
  using io_handler = std::function<void(error_code, std::size_t)>;
  using completion_handler = std::function<void(error_code)>;

  /// `tls` is null without TLS, and outlives the stream.
  byte_stream(const executor_type& executor, boost::asio::ssl::context* tls);

  executor_type get_executor() { return socket_.get_executor(); }

  /// Connects to the first of the addresses that accepts.
  void connect(const boost::asio::ip::tcp::resolver::results_type& to,
               completion_handler handler);

  /// For bytes that are sent and received before TLS.
  boost::asio::ip::tcp::socket& socket() { return socket_; }

  /// Does the TLS handshake; the server's certificate must be for this name or
  /// address. Without TLS it succeeds at once.
  void handshake_if_tls(const std::string& expected_name,
                        completion_handler handler);

  /// Reads or writes at least one byte.
  void read_some(boost::asio::mutable_buffer into, io_handler handler);
  void write_some(boost::asio::const_buffer from, io_handler handler);

  /// Operations under way end with an error.
  void close();

  template <class Buffers, class Handler>
  void async_read_some(const Buffers& into, Handler&& f) {
    read_some(first_nonempty_buffer<boost::asio::mutable_buffer>(into),
              make_copyable_handler(std::forward<Handler>(f)));
  }

  template <class Buffers, class Handler>
  void async_write_some(const Buffers& from, Handler&& f) {
    write_some(first_nonempty_buffer<boost::asio::const_buffer>(from),
               make_copyable_handler(std::forward<Handler>(f)));
  }

private:
  boost::asio::ip::tcp::socket socket_;
  std::optional<tls_stream> tls_;
};

/// Beast calls these to end a WebSocket's connection.
inline void beast_close_socket(byte_stream& stream) {
  stream.close();
}

inline void teardown(boost::beast::role_type, byte_stream& stream,
                     boost::system::error_code& e) {
  stream.close();
  e = {};
}

template <class Handler>
void async_teardown(boost::beast::role_type, byte_stream& stream, Handler&& f) {
  stream.close();
  boost::asio::post(stream.get_executor(),
                    [f = std::forward<Handler>(f)]() mutable { f({}); });
}

} // namespace troupe::k8s::rest
