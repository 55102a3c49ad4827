#pragma once

#include <string>

namespace troupe::k8s::rest {

/// Where an API server is.
struct server_address {
  bool tls = false;
  std::string host; ///< Without brackets.
  std::string port;
  std::string authority; ///< As written: "host:port", "[::1]:6443", "host".
  std::string base_path; ///< "" or "/path".
};

/// Reads "https://host:port/path". Without a port it is that of the scheme.
server_address parse_server_address(const std::string& url);

} // namespace troupe::k8s::rest
