#pragma once

// cpprestsdk's side of a watch. Included by rest_api.cpp only.

#include "k8s/rest/credentials.hpp"
#include "k8s/rest/tls.hpp"
#include "k8s/rest/watch_stream.hpp"

#include <cpprest/http_client.h>

namespace troupe::k8s::rest {

/// A pool of kept-alive connections to one server, for one login's certificate
/// and one limit on silence. Thread-safe; destroying it ends no call.
class watch_connections {
public:
  /// Throws if the server is no address.
  watch_connections(const client_config& config, const credential& cred,
                    std::chrono::milliseconds silence);

  watch_connections(const watch_connections&) = delete;
  watch_connections& operator=(const watch_connections&) = delete;

  /// Opens the watch `r` and passes the body of the answer to `to` as it
  /// arrives. The task ends when that is complete, or with an exception for
  /// failure_of_current_exception; `on_status` is called with the status
  /// before. Throws if `r` is no request.
  pplx::task<web::http::http_response>
  open_watch(const request& r, const std::string& token,
             write_only_callback_streambuf::byte_handler to,
             std::function<void(int)> on_status,
             const pplx::cancellation_token& cancel);

  /// The exception being handled, as a failure.
  failure failure_of_current_exception() const;

private:
  web::http::client::http_client_config
  make_client_config(bool insecure, std::chrono::milliseconds silence);

  std::string server_;
  std::string origin_;
  std::string tls_server_name_;
  tls_config terms_; ///< Outlives the connections.
  web::http::client::http_client client_;
};

} // namespace troupe::k8s::rest
