#pragma once

#include "k8s/rest/credentials/credentials.hpp"

#include <boost/asio/ssl/context.hpp>

#include <memory>
#include <string>

namespace troupe::k8s::rest {

/// How TLS to a server is set up: the trusted authorities, our own certificate,
/// and why the last handshake failed. Thread-safe.
class tls_config {
public:
  /// `config` is copied.
  tls_config(const client_config& config, const credential& cred);
  ~tls_config();

  /// Prepares a context for connections, which must end before this does. Each
  /// certificate that is given as an authority is trusted by itself, even if
  /// another authority has signed it. Throws if our certificate cannot be used.
  void configure_context(boost::asio::ssl::context& context) const;

  /// The fault of the server's certificate in the last handshake; "" if none.
  std::string last_verify_error() const;

  /// The reason of a failed handshake and its remedy, for people; `what` is the
  /// library's text.
  std::string describe_handshake_failure(const std::string& what) const;

private:
  struct state;
  std::unique_ptr<state> state_;
};

} // namespace troupe::k8s::rest
