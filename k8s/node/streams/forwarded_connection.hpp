#pragma once

#include "k8s/node/base/unique_descriptor.hpp"
#include "k8s/node/streams/pod_stream_session.hpp"
#include "k8s/streaming_runtime.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <array>

namespace troupe::k8s::node {

/// A TCP connection to a pod for a client of port-forward. It ends when the pod
/// closes it. For one io_context.
class forwarded_connection
    : public pod_stream_session,
      public std::enable_shared_from_this<forwarded_connection> {
public:
  forwarded_connection(boost::asio::io_context& io, session_sink to)
      : socket_(io)
      , to_(std::move(to)) {}

  /// `error_prefix` begins the text of an error. Uses `socket` unless it is
  /// empty.
  void connect(const std::string& address, std::uint16_t port,
               std::string error_prefix, unique_descriptor socket);
  void write_input(std::string bytes) override;
  void close_input() override;
  void resume_output() override;
  void on_client_disconnected() override;

private:
  using error = const boost::system::error_code&;

  void read_from_pod();
  void write_pending_input_then_shutdown();
  void end_session(result<int> how);

  boost::asio::ip::tcp::socket socket_;
  session_sink to_;
  std::string input_; ///< Being written, or waiting for the connection.
  bool is_connected_ = false;
  bool is_input_closed_ = false;
  bool is_paused_ = false;
  std::array<char, 32768> block_;
};

} // namespace troupe::k8s::node
