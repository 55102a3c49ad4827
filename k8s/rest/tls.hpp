#pragma once

#include "k8s/rest/credentials.hpp"

#include <boost/asio/ssl/context.hpp>

#include <memory>
#include <string>

namespace troupe::k8s::rest {

/// On what terms we talk TLS to a server: what is trusted, what we show, and
/// why the last handshake was broken off. Thread-safe.
class tls_config {
public:
  /// `who` is copied.
  tls_config(const client_config& who, const credential& l);
  ~tls_config();

  /// Prepares a context for one connection, whose end must come before ours.
  void apply(boost::asio::ssl::context& context) const;

  /// What was wrong with the server's certificate, "" if nothing was.
  std::string verify_error() const;

private:
  struct state;
  std::unique_ptr<state> state_;
};

} // namespace troupe::k8s::rest
