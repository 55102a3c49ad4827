#include "k8s/node/streams/forwarded_connection.hpp"

#include "k8s/text.hpp"

#include <boost/asio/write.hpp>

namespace troupe::k8s::node {

namespace asio = boost::asio;
using asio::ip::tcp;

void forwarded_connection::connect(const std::string& address,
                                   std::uint16_t port, std::string error_prefix,
                                   unique_descriptor socket) {
  boost::system::error_code wrong;
  if (socket.get() >= 0)
    socket_.assign(tcp::v4(), socket.get(), wrong);
  // Without it the connection would be made from the host's network.
  if (wrong)
    return end_session(
        failure{ec::unreachable, error_prefix + ": " + wrong.message()});
  socket.release();
  tcp::endpoint where{asio::ip::make_address(address, wrong), port};
  socket_.async_connect(
      where, [self = shared_from_this(), where, error_prefix](error e) {
        if (e)
          return self->end_session(
              failure{ec::unreachable,
                      error_prefix + ": dial tcp " + where.address().to_string()
                          + ":" + std::to_string(where.port())
                          + ": connect: " + lower_case(e.message())});
        boost::system::error_code ignored;
        self->socket_.set_option(tcp::no_delay(true), ignored);
        self->is_connected_ = true;
        self->read_from_pod();
        self->write_pending_input_then_shutdown();
      });
}

void forwarded_connection::read_from_pod() {
  socket_.async_read_some(
      asio::buffer(block_), [self = shared_from_this()](error e, size_t n) {
        if (n > 0 && self->to_.output)
          self->to_.output(output_stream::standard_output,
                           {self->block_.data(), n});
        if (e) // That the pod has cut it is its end, too.
          return self->end_session(0);
        self->is_paused_ = self->to_.is_ready && !self->to_.is_ready();
        if (!self->is_paused_)
          self->read_from_pod();
      });
}

void forwarded_connection::resume_output() {
  if (is_paused_ && to_.is_ready && to_.is_ready()) {
    is_paused_ = false;
    read_from_pod();
  }
}

void forwarded_connection::write_input(std::string bytes) {
  input_ = std::move(bytes);
  if (is_connected_)
    write_pending_input_then_shutdown();
}

void forwarded_connection::write_pending_input_then_shutdown() {
  if (!input_.empty()) {
    asio::async_write(socket_, asio::buffer(input_),
                      [self = shared_from_this()](error, size_t) {
                        self->input_.clear();
                        if (self->to_.on_input_taken)
                          self->to_.on_input_taken();
                        self->write_pending_input_then_shutdown();
                      });
    return;
  }
  boost::system::error_code ignored;
  if (is_input_closed_)
    socket_.shutdown(tcp::socket::shutdown_send, ignored);
}

void forwarded_connection::close_input() {
  is_input_closed_ = true;
  if (is_connected_ && input_.empty())
    write_pending_input_then_shutdown();
}

void forwarded_connection::on_client_disconnected() {
  boost::system::error_code ignored;
  to_ = {};
  socket_.close(ignored);
}

void forwarded_connection::end_session(result<int> how) {
  auto tell = std::exchange(to_.end, nullptr);
  on_client_disconnected();
  if (tell)
    tell(std::move(how));
}

} // namespace troupe::k8s::node
