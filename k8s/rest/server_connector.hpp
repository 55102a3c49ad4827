#pragma once

#include "k8s/rest/byte_stream.hpp"
#include "k8s/rest/server_endpoint.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <functional>
#include <string>

namespace troupe::k8s::rest {

/// Makes connections to a server, directly or through its proxy, with TLS. For
/// one thread or strand, one connection at a time.
class server_connector {
public:
  /// `why` is empty if the stream is open; otherwise the reason, for people.
  using handler = std::function<void(const std::string& why)>;

  /// The server outlives this.
  server_connector(const boost::asio::any_io_executor& executor,
                   server_endpoint& to);

  /// Opens a stream that was never open. `done` is called once, after open()
  /// has returned; until then this and the stream must live.
  void open(byte_stream& stream, handler done);

  /// An open() under way ends soon, if the stream is closed as well.
  void cancel();

private:
  using error_code = boost::system::error_code;
  using addresses = boost::asio::ip::tcp::resolver::results_type;

  void resolve_then_connect();
  void on_resolved(error_code e, const addresses& found);
  void on_connected(error_code e);
  void ask_proxy_for_tunnel();
  void read_answer_of_proxy();
  void on_answer_of_proxy();
  void start_tls_if_needed_and_finish();
  void finish(const std::string& why);
  /// Names the proxy, if it is the proxy that failed.
  void fail_before_tunnel(const std::string& why);

  const std::string& dialed_host() const;
  const std::string& dialed_port() const;

  server_endpoint& to_;
  boost::asio::ip::tcp::resolver resolver_;
  byte_stream* stream_ = nullptr;
  handler done_;
  std::string text_; ///< The request to the proxy, then its answer.
  bool cancelled_ = false;
};

} // namespace troupe::k8s::rest
