#include "k8s/rest/byte_stream.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/post.hpp>

namespace troupe::k8s::rest {

namespace ssl = boost::asio::ssl;
using boost::asio::ip::tcp;

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

void byte_stream::handshake_if_tls(const std::string& expected_name,
                                   completion_handler handler) {
  if (!tls_) {
    boost::asio::post(get_executor(), [f = std::move(handler)] { f({}); });
    return;
  }
  tls_->handshake_as_client(
      expected_name,
      [f = std::move(handler)](error_code e, std::size_t) { f(e); });
}

void byte_stream::close() {
  error_code ignored;
  socket_.close(ignored);
}

void byte_stream::read_some(boost::asio::mutable_buffer into,
                            io_handler handler) {
  if (tls_)
    tls_->read_some(into, std::move(handler));
  else
    socket_.async_read_some(into, std::move(handler));
}

void byte_stream::write_some(boost::asio::const_buffer from,
                             io_handler handler) {
  if (tls_)
    tls_->write_some(from, std::move(handler));
  else
    socket_.async_write_some(from, std::move(handler));
}

} // namespace troupe::k8s::rest
