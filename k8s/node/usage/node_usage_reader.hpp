#pragma once

#include "k8s/node/pods/pod_workers.hpp"
#include "k8s/node/usage/gpu_usage.hpp"
#include "k8s/node/usage/usage_meter.hpp"
#include "k8s/usage_source.hpp"

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <functional>
#include <mutex>
#include <string>

namespace troupe::k8s::node {

/// Measures what the node's pods use. Thread-safe; measures on the node's
/// thread, and only on request.
class node_usage_reader : public usage_source {
public:
  node_usage_reader(boost::asio::io_context& io, const pod_workers& pods,
                    std::string node, std::string gpu_usage_program)
      : io_(io)
      , pods_(pods)
      , node_(std::move(node))
      , gpus_(io, std::move(gpu_usage_program)) {}

  void measure_usage(std::function<void(node_usage)> done) override;

  /// Later requests are answered without pods. The io_context still has to
  /// answer earlier ones.
  void answer_later_requests_without_pods();

private:
  node_usage measure_node();
  gpu_usage_by_index refresh_and_get_last_gpu_usage();
  pod_usage measure_pod(const pod_run& run, const process_table& processes,
                        const gpu_usage_by_index& gpus,
                        std::chrono::steady_clock::time_point now);

  boost::asio::io_context& io_;
  const pod_workers& pods_;
  const std::string node_;
  usage_meter meter_;
  gpu_usage_reader gpus_;
  std::chrono::steady_clock::time_point last_measured_ =
      std::chrono::steady_clock::now();
  std::mutex mutex_;
  bool is_closed_ = false;
};

} // namespace troupe::k8s::node
