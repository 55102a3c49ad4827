#pragma once

#include "k8s/http/server.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <string>

namespace troupe::actors {

/// Hands requests on to other servers (plain HTTP) and their responses back.
/// Has a thread of its own.
class request_forwarder {
public:
  /// Requests that are under way are answered with their `fallback`.
  virtual ~request_forwarder() = default;
  /// `server_address`: "10.0.0.1:8080". Of the request's own headers none is
  /// sent but Content-Type; `headers` are. A server that cannot be reached, or
  /// does not answer in time, leads to the response `fallback`. Any thread.
  virtual void forward(const std::string& server_address,
                       const k8s::http::request& q,
                       const std::map<std::string, std::string>& headers,
                       k8s::http::response fallback,
                       k8s::http::response_writer_ptr back) = 0;
};

/// `limit`: for one request.
std::unique_ptr<request_forwarder>
make_request_forwarder(std::chrono::seconds limit);

} // namespace troupe::actors
