#pragma once

#include "k8s/calls.hpp"
#include "k8s/json.hpp"

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace troupe::k8s::node {

/// The node's calls to the API server. Answers arrive on the node's thread, so
/// never after its end.
class node_client {
public:
  using answer_handler = std::function<void(const result<std::string>&)>;

  node_client(std::shared_ptr<boost::asio::io_context> io,
              std::shared_ptr<api> client)
      : io_(std::move(io))
      , client_(std::move(client)) {}

  void send(request r, answer_handler handle = nullptr);
  /// Sends the request until it succeeds or fails for good; `handle` gets that
  /// answer. The pauses between the tries double, from half a second to four.
  void send_with_retries(request r, answer_handler handle = nullptr);
  /// Removes a pod of which nothing runs any more, after a short pause:
  /// `kubectl delete` waits for the removal by a list and a watch, and would
  /// wait for ever if a pod of the same name took its place before them.
  void delete_pod_after_pause(const json& pod);
  /// Runs `task`, another try, after half a second.
  void run_after_retry_pause(std::function<void()> task);
  /// Creates an event about the pod, of type Normal or Warning.
  void send_event(const json& pod, const char* type, const std::string& reason,
                  const std::string& message);
  void send_warning_event(const json& about, const std::string& reason,
                          const std::string& message) {
    send_event(about, "Warning", reason, message);
  }

private:
  /// `pause`: after the next failure.
  void send_and_retry(request r, answer_handler handle,
                      std::chrono::milliseconds pause);
  void run_after(std::chrono::milliseconds pause, std::function<void()> task);

  // Answers may come after the node is gone.
  std::shared_ptr<boost::asio::io_context> io_;
  std::shared_ptr<api> client_;
};

} // namespace troupe::k8s::node
