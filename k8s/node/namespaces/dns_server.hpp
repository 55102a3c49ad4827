#pragma once

#include "k8s/node/base/unique_descriptor.hpp"
#include "k8s/node/namespaces/dns_zone.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <functional>
#include <memory>
#include <string>

namespace troupe::k8s::node {

/// Answers queries of pods from a zone, by UDP and TCP. Queries for other names
/// go to the forwarder; they fail without one, or if too many are under way.
/// Too many connections at a time are closed. For one io_context.
class dns_server {
public:
  using response_handler = std::function<void(std::string)>;
  static constexpr std::size_t most_forwarded = 500;
  static constexpr std::size_t most_clients = 200; ///< By TCP.
  /// Asks another server; calls back with its message, or with "" if none
  /// answers.
  using forwarder =
      std::function<void(const std::string& query, response_handler)>;

  /// `udp` is bound, `tcp` listens.
  dns_server(boost::asio::io_context& io, unique_descriptor udp,
             unique_descriptor tcp);
  ~dns_server();

  void set_zone(dns_zone zone) { zone_ = std::move(zone); }
  void set_forwarder(forwarder f) { forward_ = std::move(f); }

private:
  class tcp_client;

  void receive_datagrams();
  void accept_tcp_clients();
  void accept_after_pause();
  /// Does not respond to a message that is no query.
  void answer_query(const std::string& message, bool is_datagram,
                    response_handler respond);
  void forward_query(const std::string& message, const std::string& fallback,
                     response_handler respond);

  boost::asio::ip::udp::socket udp_;
  boost::asio::ip::tcp::acceptor tcp_;
  dns_zone zone_;
  forwarder forward_;
  std::size_t forwarded_ = 0;
  std::size_t clients_ = 0;
  boost::asio::steady_timer pause_;
  std::array<char, 4096> block_;
  boost::asio::ip::udp::endpoint peer_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

} // namespace troupe::k8s::node
