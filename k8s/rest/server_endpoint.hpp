#pragma once

#include "k8s/api.hpp"
#include "k8s/rest/credentials/credentials.hpp"
#include "k8s/rest/credentials/proxy_choice.hpp"
#include "k8s/rest/credentials/server_address.hpp"
#include "k8s/rest/tls.hpp"

#include <boost/asio/ssl/context.hpp>
#include <boost/system/error_code.hpp>

#include <optional>
#include <string>

namespace troupe::k8s::rest {

/// What all connections to one server share: its address, the name in its
/// certificate, and our own certificate. It outlives them.
class server_endpoint {
public:
  /// Throws if the address of the server or its proxy is malformed, or our
  /// certificate cannot be used.
  server_endpoint(const client_config& config, const credential& cred);

  server_endpoint(const server_endpoint&) = delete;
  server_endpoint& operator=(const server_endpoint&) = delete;

  /// nullptr for a server without TLS.
  boost::asio::ssl::context* tls_context() {
    return address.tls ? &tls_ : nullptr;
  }

  /// The text of a request, head and body.
  std::string format_request(const request& r, const std::string& token) const;

  failure unreachable_failure(const std::string& why) const {
    return {ec::unreachable, "cannot reach " + server + ": " + why};
  }

  const std::string server; ///< For messages.
  const server_address address;
  const std::string expected_name; ///< In the server's certificate.
  const std::optional<proxy_address> proxy;
  const tls_config terms;

private:
  boost::asio::ssl::context tls_{boost::asio::ssl::context::tls_client};
};

/// Whether this error of a connection means that the server has closed it.
bool is_closed_by_peer(boost::system::error_code e);

} // namespace troupe::k8s::rest
