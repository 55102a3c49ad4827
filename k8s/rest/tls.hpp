#pragma once

#include "k8s/rest/credentials/credentials.hpp"

#include <boost/asio/ssl/context.hpp>

#include <memory>
#include <string>

namespace troupe::k8s::rest {

/// On what terms we talk TLS to a server: what is trusted, what we show, and
/// why the last handshake was broken off. Thread-safe.
class tls_config {
public:
  /// `config` is copied.
  tls_config(const client_config& config, const credential& cred);
  ~tls_config();

  /// Prepares a context for connections, whose end must come before ours.
  /// Each certificate that is given as an authority is trusted as it stands,
  /// also one that another authority has signed.
  void configure_context(boost::asio::ssl::context& context) const;

  /// What was wrong with the server's certificate, "" if nothing was.
  std::string last_verify_error() const;

  /// What a failed handshake means, with what to do; `what` is the library's
  /// word on it.
  std::string describe_handshake_failure(const std::string& what) const;

private:
  struct state;
  std::unique_ptr<state> state_;
};

} // namespace troupe::k8s::rest
