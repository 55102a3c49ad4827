#pragma once

#include "k8s/http/server.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <string>

namespace troupe::k8s::http {

/// Hands requests on to other servers (plain HTTP) and their responses back.
/// Has a thread of its own.
class forwarder {
public:
  /// Requests that are under way are answered with 502.
  virtual ~forwarder() = default;
  /// `to`: "10.0.0.1:8080". Of the request's own headers none is sent but
  /// Content-Type; `headers` are. A server that cannot be reached, or does not
  /// answer in time, leads to the response `fallback`. Any thread.
  virtual void forward(const std::string& server_address, const request& q,
                       const std::map<std::string, std::string>& headers,
                       response fallback, response_writer_ptr back) = 0;
};

/// `limit`: for one request.
std::unique_ptr<forwarder> make_forwarder(std::chrono::seconds limit);

} // namespace troupe::k8s::http
