#include "k8s/general/tls_stream.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/error.hpp>
#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>

namespace troupe::k8s {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

/// What the peer's certificate has to be for.
void set_expected_peer_name(SSL* handle, const std::string& name) {
  auto* parameters = SSL_get0_param(handle);
  boost::system::error_code is_name;
  asio::ip::make_address(name, is_name);
  if (is_name) {
    SSL_set_tlsext_host_name(handle, name.c_str());
    X509_VERIFY_PARAM_set1_host(parameters, name.c_str(), 0);
  } else if (X509_VERIFY_PARAM_set1_ip_asc(parameters, name.c_str()) != 1) {
    X509_VERIFY_PARAM_set1_host(parameters, name.c_str(), 0); // In none.
  }
}

} // namespace

/// What is to be done, tried again until it is.
struct tls_stream::operation {
  enum class kind : std::uint8_t { handshake, read, write };

  kind what;
  void* bytes = nullptr; ///< To be read into, or written from.
  int size = 0;
  io_handler done;

  /// What OpenSSL says: more than 0 if it is done.
  int attempt(SSL* handle) const {
    switch (what) {
    case kind::handshake:
      return SSL_do_handshake(handle);
    case kind::read:
      return SSL_read(handle, bytes, size);
    case kind::write:
      return SSL_write(handle, bytes, size);
    }
    return 0;
  }
};

namespace {

/// What OpenSSL takes at once.
int size_limited_for_openssl(std::size_t size) {
  constexpr std::size_t most = 1u << 30;
  return static_cast<int>(std::min(size, most));
}

} // namespace

tls_stream::tls_stream(tcp::socket& socket, asio::ssl::context& context)
    : socket_(socket)
    , handle_(SSL_new(context.native_handle())) {
  auto* bio = BIO_new(bio_methods_for_socket());
  if (!handle_ || !bio) {
    BIO_free(bio);
    throw std::bad_alloc{};
  }
  BIO_set_data(bio, this);
  BIO_set_init(bio, 1);
  SSL_set_bio(handle_.get(), bio, bio); // Takes it.
  // Buffers are there while they have something in them; one read of the socket
  // takes all that has come, and not first the five bytes before a record.
  SSL_set_mode(handle_.get(), SSL_MODE_RELEASE_BUFFERS
                                  | SSL_MODE_ENABLE_PARTIAL_WRITE
                                  | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_set_read_ahead(handle_.get(), 1);
}

tls_stream::~tls_stream() = default;

void tls_stream::handshake_as_client(const std::string& expected_name,
                                     io_handler done) {
  SSL_set_connect_state(handle_.get());
  set_expected_peer_name(handle_.get(), expected_name);
  handshake(std::move(done));
}

void tls_stream::handshake_as_server(std::string received, io_handler done) {
  SSL_set_accept_state(handle_.get());
  received_ = std::move(received);
  handshake(std::move(done));
}

void tls_stream::handshake(io_handler done) {
  error_code e;
  socket_.non_blocking(true, e);
  try_operation_or_wait(
      {operation::kind::handshake, nullptr, 0, std::move(done)}, true);
}

void tls_stream::read_some(asio::mutable_buffer into, io_handler done) {
  operation next{operation::kind::read, into.data(),
                 size_limited_for_openssl(into.size()), std::move(done)};
  bool has_bytes = SSL_has_pending(handle_.get()) || !received_.empty();
  if (next.size > 0 && !has_bytes)
    wait_then_try_operation(tcp::socket::wait_read, std::move(next));
  else
    try_operation_or_wait(std::move(next), true);
}

void tls_stream::write_some(asio::const_buffer from, io_handler done) {
  try_operation_or_wait({operation::kind::write, const_cast<void*>(from.data()),
                         size_limited_for_openssl(from.size()),
                         std::move(done)},
                        true);
}

void tls_stream::wait_then_try_operation(tcp::socket::wait_type how,
                                         operation next) {
  socket_.async_wait(how, [this, next = std::move(next)](error_code e) mutable {
    if (e)
      next.done(e, 0);
    else
      try_operation_or_wait(std::move(next), false);
  });
}

void tls_stream::try_operation_or_wait(operation next,
                                       bool called_from_initiation) {
  int n = 0;
  error_code e;
  if (next.size > 0 || next.what == operation::kind::handshake) {
    ERR_clear_error();
    socket_error_ = {};
    n = next.attempt(handle_.get());
    if (n <= 0) {
      int why = SSL_get_error(handle_.get(), n);
      if (why == SSL_ERROR_WANT_READ)
        return wait_then_try_operation(tcp::socket::wait_read, std::move(next));
      if (why == SSL_ERROR_WANT_WRITE)
        return wait_then_try_operation(tcp::socket::wait_write,
                                       std::move(next));
      e = error_code_of_ssl_failure(why);
      n = 0;
    }
  }
  if (called_from_initiation)
    asio::post(socket_.get_executor(), [done = std::move(next.done), e, n] {
      done(e, static_cast<std::size_t>(n));
    });
  else
    next.done(e, static_cast<std::size_t>(n));
}

tls_stream::error_code tls_stream::error_code_of_ssl_failure(int why) const {
  if (why == SSL_ERROR_ZERO_RETURN)
    return asio::error::eof;
  if (socket_error_ == asio::error::eof)
    return asio::ssl::error::stream_truncated;
  if (socket_error_)
    return socket_error_;
  if (auto first = ERR_get_error())
    return {static_cast<int>(first), asio::error::get_ssl_category()};
  return asio::ssl::error::unexpected_result;
}

// -- the socket ---------------------------------------------------------------

BIO_METHOD* tls_stream::bio_methods_for_socket() {
  static auto* const methods = [] {
    auto* m = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK,
                           "socket of Asio");
    BIO_meth_set_read(m, read_socket_for_openssl);
    BIO_meth_set_write(m, write_socket_for_openssl);
    BIO_meth_set_ctrl(m, [](BIO*, int command, long, void*) -> long {
      return command == BIO_CTRL_FLUSH; // Nothing is held back.
    });
    return m;
  }();
  return methods;
}

namespace {

/// The result of a read or a write of the socket for OpenSSL; tells it to try
/// again later (`retry`), or keeps another error.
int result_for_openssl(BIO* bio, std::size_t n,
                       const boost::system::error_code& e, int retry,
                       boost::system::error_code& kept) {
  BIO_clear_retry_flags(bio);
  if (!e)
    return static_cast<int>(n);
  if (e == asio::error::would_block || e == asio::error::try_again)
    BIO_set_flags(bio, retry | BIO_FLAGS_SHOULD_RETRY);
  else
    kept = e;
  return -1;
}

} // namespace

int tls_stream::read_socket_for_openssl(BIO* bio, char* into, int size) {
  auto* self = static_cast<tls_stream*>(BIO_get_data(bio));
  error_code e;
  if (auto& received = self->received_; !received.empty()) {
    auto n = received.copy(into, static_cast<std::size_t>(size));
    received.erase(0, n);
    if (received.empty())
      received.shrink_to_fit();
    return result_for_openssl(bio, n, e, BIO_FLAGS_READ, self->socket_error_);
  }
  auto n = self->socket_.read_some(
      asio::buffer(into, static_cast<std::size_t>(size)), e);
  return result_for_openssl(bio, n, e, BIO_FLAGS_READ, self->socket_error_);
}

int tls_stream::write_socket_for_openssl(BIO* bio, const char* from, int size) {
  auto* self = static_cast<tls_stream*>(BIO_get_data(bio));
  error_code e;
  auto n = self->socket_.write_some(
      asio::buffer(from, static_cast<std::size_t>(size)), e);
  return result_for_openssl(bio, n, e, BIO_FLAGS_WRITE, self->socket_error_);
}

} // namespace troupe::k8s
