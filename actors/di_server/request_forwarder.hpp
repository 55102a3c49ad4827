#pragma once

#include "k8s/http/server.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <string>

namespace troupe::actors {

/// Forwards requests to other servers (plain HTTP), and their responses back.
/// Has a thread of its own.
class request_forwarder {
public:
  /// Requests in flight are answered with their `fallback`.
  virtual ~request_forwarder() = default;
  /// `server_address`: "10.0.0.1:8080". Of the request's own headers only
  /// Content-Type is sent, besides `headers`. If the server cannot be reached,
  /// or does not answer in time, the response is `fallback`. May be called on
  /// any thread.
  virtual void forward(const std::string& server_address,
                       const k8s::http::request& q,
                       const std::map<std::string, std::string>& headers,
                       k8s::http::response fallback,
                       k8s::http::response_writer_ptr back) = 0;
};

/// `limit`: the time for one request.
std::unique_ptr<request_forwarder>
make_request_forwarder(std::chrono::seconds limit);

} // namespace troupe::actors
