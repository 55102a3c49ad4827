#pragma once

#include "k8s/node/namespaces/dns_server.hpp"

#include <boost/asio/io_context.hpp>

#include <string>
#include <vector>

namespace troupe::k8s::node {

/// The addresses of name servers in a resolv.conf; malformed ones are left out.
std::vector<std::string> parse_name_servers(const std::string& resolv_conf);

constexpr std::uint16_t name_server_port = 53;

/// A forwarder that asks these name servers, one after the other, by UDP from
/// the host's network.
dns_server::forwarder make_dns_forwarder(boost::asio::io_context& io,
                                         std::vector<std::string> servers,
                                         std::uint16_t port = name_server_port);

} // namespace troupe::k8s::node
