#include "k8s/general/addresses.hpp"

#include <boost/asio/ip/address.hpp>

namespace troupe::k8s {

std::string host_and_port_of_url(const std::string& server) {
  auto from = server.find("://");
  from = from == std::string::npos ? 0 : from + 3;
  return server.substr(from, server.find('/', from) - from);
}

std::pair<std::string, std::string>
split_host_and_port(const std::string& address) {
  auto colon = address.rfind(':');
  if (colon != std::string::npos
      && address.find(']', colon) != std::string::npos)
    colon = std::string::npos; // One of the host's own.
  auto host = address.substr(0, colon);
  if (host.size() > 2 && host.front() == '[')
    host = host.substr(1, host.size() - 2);
  return {host, colon == std::string::npos ? "" : address.substr(colon + 1)};
}

bool is_localhost_or_loopback(const std::string& host) {
  namespace ip = boost::asio::ip;
  boost::system::error_code no_address;
  auto address = ip::make_address(host, no_address);
  if (no_address)
    return host == "localhost";
  if (address.is_v6() && address.to_v6().is_v4_mapped())
    return ip::make_address_v4(ip::v4_mapped, address.to_v6()).is_loopback();
  return address.is_loopback();
}

} // namespace troupe::k8s
