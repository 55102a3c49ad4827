#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/system/error_code.hpp>

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace troupe::k8s {

/// One end of TLS on a connected socket. OpenSSL reads and writes the socket
/// itself, when that is ready: so a waiting connection has no buffers, while
/// Asio's ssl::stream has 68 KiB. For one thread or strand; one read and one
/// write at a time.
class tls_stream {
public:
  using error_code = boost::system::error_code;
  using io_handler = std::function<void(error_code, std::size_t)>;

  /// Both outlive this.
  tls_stream(boost::asio::ip::tcp::socket& socket,
             boost::asio::ssl::context& context);
  ~tls_stream();

  tls_stream(const tls_stream&) = delete;
  tls_stream& operator=(const tls_stream&) = delete;

  // One of these comes first. `done` gets 0 bytes.
  /// The server's certificate must be for this name or address.
  void handshake_as_client(const std::string& expected_name, io_handler done);
  /// `received` was read from the socket already: what the client has sent.
  void handshake_as_server(std::string received, io_handler done);

  /// Reads or writes at least one byte. Never calls `done` before it returns.
  /// At the end the error is `eof` if the server announced it, otherwise
  /// `stream_truncated`.
  void read_some(boost::asio::mutable_buffer into, io_handler done);
  void write_some(boost::asio::const_buffer from, io_handler done);

private:
  struct operation;
  struct free_ssl {
    void operator()(SSL* handle) const { SSL_free(handle); }
  };

  void handshake(io_handler done);
  void wait_then_try_operation(boost::asio::ip::tcp::socket::wait_type how,
                               operation next);
  /// Tries the operation: completes it, or waits for the socket.
  void try_operation_or_wait(operation next, bool called_from_initiation);
  error_code error_code_of_ssl_failure(int why) const;

  // OpenSSL calls these instead of read() and write().
  static BIO_METHOD* bio_methods_for_socket();
  static int read_socket_for_openssl(BIO* bio, char* into, int size);
  static int write_socket_for_openssl(BIO* bio, const char* from, int size);

  boost::asio::ip::tcp::socket& socket_;
  std::unique_ptr<SSL, free_ssl> handle_;
  std::string received_;    ///< What OpenSSL reads before the socket.
  error_code socket_error_; ///< Of the last read or write, except would_block.
};

// -- for what is an AsyncStream by read_some() and write_some() ---------------

/// The first buffer that is not empty.
template <class Buffer, class Buffers>
Buffer first_nonempty_buffer(const Buffers& all) {
  auto end = boost::asio::buffer_sequence_end(all);
  for (auto i = boost::asio::buffer_sequence_begin(all); i != end; ++i)
    if (Buffer one = *i; one.size() > 0)
      return one;
  return {};
}

/// Beast's handlers cannot be copied; a std::function's must be.
template <class Handler>
tls_stream::io_handler make_copyable_handler(Handler&& f) {
  auto shared =
      std::make_shared<std::decay_t<Handler>>(std::forward<Handler>(f));
  return
      [shared](boost::system::error_code e, std::size_t n) { (*shared)(e, n); };
}

} // namespace troupe::k8s
