#pragma once

#include <string>

namespace troupe::k8s::rest {

/// Where an API server is.
struct server_address {
  bool tls = false;
  std::string host; ///< Without brackets; with a zone, "fe80::1%eth0".
  std::string port;
  std::string authority; ///< As written, without a zone: "host:port",
                         ///< "[::1]:6443", "host".
  std::string base_path; ///< "" or "/path".

  /// What a certificate can name: the host without a zone.
  std::string certificate_name() const {
    return host.substr(0, host.find('%'));
  }
};

/// Reads "https://host:port/path". Without a port it is that of the scheme.
server_address parse_server_address(const std::string& url);

/// Whether a connection can be tried: a scheme that we know, a host, and a port
/// that is a number.
bool is_usable_server_url(const std::string& url);

} // namespace troupe::k8s::rest
