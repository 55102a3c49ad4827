#pragma once

// cpprestsdk's side of a call or a watch. Included by rest_api.cpp only.

#include "k8s/credentials.hpp"
#include "k8s/rest_stream.hpp"
#include "k8s/rest_tls.hpp"

#include <cpprest/http_client.h>

namespace troupe::k8s {

/// A pool of kept-alive connections to one server, for one login's certificate
/// and one limit on silence. Thread-safe; destroying it ends no call.
class rest_line {
public:
  /// Throws if the server is no address.
  rest_line(const credentials& who, const login& l,
            std::chrono::milliseconds silence);

  rest_line(const rest_line&) = delete;
  rest_line& operator=(const rest_line&) = delete;

  /// Sends `r` and passes the body of the answer to `to` as it arrives. The
  /// task ends when that is complete, or with an exception for `failure_now`;
  /// `begun` is called with the status before. Throws if `r` is no request.
  pplx::task<web::http::http_response>
  send(request r, const std::string& token, passing_buffer::taker to,
       std::function<void(int)> begun, const pplx::cancellation_token& cancel);

  /// The exception being handled, as a failure.
  failure failure_now() const;

private:
  web::http::client::http_client_config
  config(bool insecure, std::chrono::milliseconds silence);
  std::string about_tls(const std::string& what) const;

  std::string server_;
  std::string origin_;
  std::string tls_server_name_;
  tls_terms terms_; ///< Outlives the connections.
  web::http::client::http_client client_;
};

/// What an answer that is no success means; its body apart.
failure refusal(const web::http::http_response& answer,
                const std::string& body);

} // namespace troupe::k8s
