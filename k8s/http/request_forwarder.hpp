#pragma once

#include "k8s/http/server.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <string>

namespace troupe::k8s::http {

/// Whom a request is forwarded to.
struct forward_target {
  std::string address; ///< "10.0.0.1:8080".
  /// Certificates of the authorities that the server's has to be signed by,
  /// PEM; "": it speaks plain HTTP.
  std::string authorities = {};
  std::string server_name = {}; ///< In its certificate; with authorities only.
};

/// Forwards requests to other servers, and their responses back. Has a thread
/// of its own.
class request_forwarder {
public:
  /// Requests in flight are answered with their `fallback`.
  virtual ~request_forwarder() = default;
  /// Of the request's own headers only Content-Type is sent, besides `headers`.
  /// If the server cannot be reached or trusted, or does not answer in time,
  /// the response is `fallback`. May be called on any thread.
  virtual void forward(const forward_target& to, const request& q,
                       const std::map<std::string, std::string>& headers,
                       response fallback, response_writer_ptr back) = 0;
};

/// `limit`: the time for one request.
std::unique_ptr<request_forwarder>
make_request_forwarder(std::chrono::seconds limit);

} // namespace troupe::k8s::http
