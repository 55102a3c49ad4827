#pragma once

#include "k8s/rest/port_forward.hpp"
#include "k8s/rest/server_endpoint.hpp"

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace troupe::k8s::rest {

/// A GET through a WebSocket to the API server (subprotocol v4.channel.k8s.io),
/// which the kubelet connects to a port of the pod. For the thread of the
/// io_context.
class forwarded_call {
public:
  virtual ~forwarded_call() = default;
  virtual void start() = 0;
  /// Ends the call with ec::cancelled, unless it has ended.
  virtual void cancel() = 0;
};

struct forwarded_target {
  std::shared_ptr<server_endpoint> server;
  std::string token; ///< For `server`.
  pod_port to;
  std::string path; ///< Of the request to the server in the pod.
};

/// `done` is called once, after start(): with the body of a 2xx answer, or with
/// a failure; ec::timeout after `limit`.
std::shared_ptr<forwarded_call>
make_forwarded_call(boost::asio::io_context& io, forwarded_target target,
                    std::chrono::milliseconds limit,
                    std::function<void(result<std::string>)> done);

} // namespace troupe::k8s::rest
