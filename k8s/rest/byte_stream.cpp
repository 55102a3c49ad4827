#include "k8s/rest/byte_stream.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>
#include <openssl/x509v3.h>

namespace troupe::k8s::rest {

namespace ssl = boost::asio::ssl;
using boost::asio::ip::tcp;

namespace {

/// What the peer's certificate has to be for.
void set_expected_peer_name(SSL* handle, const std::string& name) {
  auto* parameters = SSL_get0_param(handle);
  boost::system::error_code is_name;
  boost::asio::ip::make_address(name, is_name);
  if (is_name) {
    SSL_set_tlsext_host_name(handle, name.c_str());
    X509_VERIFY_PARAM_set1_host(parameters, name.c_str(), 0);
  } else {
    X509_VERIFY_PARAM_set1_ip_asc(parameters, name.c_str());
  }
}

} // namespace

byte_stream::byte_stream(const executor_type& executor, ssl::context* tls)
    : socket_(executor) {
  if (tls)
    tls_.emplace(socket_, *tls);
}

void byte_stream::connect(const tcp::resolver::results_type& to,
                          completion_handler handler) {
  boost::asio::async_connect(
      socket_, to,
      [this, f = std::move(handler)](error_code e, const tcp::endpoint&) {
        error_code ignored;
        socket_.set_option(tcp::no_delay{true}, ignored);
        f(e);
      });
}

void byte_stream::tls_handshake(const std::string& expected_name,
                                completion_handler handler) {
  if (!tls_) {
    boost::asio::post(get_executor(), [f = std::move(handler)] { f({}); });
    return;
  }
  set_expected_peer_name(tls_->native_handle(), expected_name);
  tls_->async_handshake(ssl::stream_base::client, std::move(handler));
}

void byte_stream::close() {
  error_code ignored;
  socket_.close(ignored);
}

void byte_stream::read_some(boost::asio::mutable_buffer into,
                            io_handler handler) {
  if (tls_)
    tls_->async_read_some(into, std::move(handler));
  else
    socket_.async_read_some(into, std::move(handler));
}

void byte_stream::write_some(boost::asio::const_buffer from,
                             io_handler handler) {
  if (tls_)
    tls_->async_write_some(from, std::move(handler));
  else
    socket_.async_write_some(from, std::move(handler));
}

} // namespace troupe::k8s::rest
