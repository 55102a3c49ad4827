#pragma once

#include "k8s/result.hpp"

#include <string>

namespace troupe::k8s::rest {

/// An HTTP proxy that makes connections for us (CONNECT).
struct proxy_address {
  std::string host; ///< Without brackets.
  std::string port;
  std::string user; ///< "": it needs no login.
  std::string password;
  std::string authorization; ///< "Basic ..." of both, or "".
  std::string name;          ///< "host:port", for messages.
};

/// Reads "http://USER:PASSWORD@HOST:PORT"; the scheme may be missing, and the
/// port is 80 if it is missing. ec::invalid for other kinds of proxies (https,
/// socks5); the message has no password in it.
result<proxy_address> parse_proxy_url(const std::string& url);

/// The variables HTTPS_PROXY or https_proxy, and NO_PROXY or no_proxy.
struct proxy_environment {
  std::string https_proxy;
  std::string no_proxy;
};

proxy_environment read_proxy_environment();

/// The URL of the proxy for this server by kubectl's rules, "" for none. This
/// machine and what NO_PROXY names are reached directly. NO_PROXY lists names
/// ("example.com" and all below, ".example.com" or "*.example.com" only those
/// below) and addresses, each with or without a port, and networks
/// ("10.0.0.0/8"); "*" names all. Servers without TLS are reached directly,
/// too.
std::string choose_proxy(const std::string& server_url,
                         const proxy_environment& environment);

} // namespace troupe::k8s::rest
