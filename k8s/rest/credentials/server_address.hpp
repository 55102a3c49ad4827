#pragma once

#include <string>

namespace troupe::k8s::rest {

/// Where an API server is.
struct server_address {
  bool tls = false;
  std::string host; ///< Without brackets; with a zone, "fe80::1%eth0".
  std::string port;
  /// As written, without a zone: "host:port", "[::1]:6443", "host".
  std::string authority;
  std::string base_path; ///< "" or "/path".

  /// The name for certificates: the host without a zone.
  std::string certificate_name() const {
    return host.substr(0, host.find('%'));
  }
};

/// Reads "https://host:port/path". The port may be missing: then it is the
/// scheme's. Checks nothing.
server_address parse_server_address_unchecked(const std::string& url);

/// Whether a connection can be tried: the scheme is http or https, there is a
/// host, IPv6 is in brackets, and the port consists of digits.
bool is_usable_server_url(const std::string& url);

} // namespace troupe::k8s::rest
