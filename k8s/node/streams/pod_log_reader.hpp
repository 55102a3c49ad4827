#pragma once

#include "k8s/log_source.hpp"
#include "k8s/node/pods/pod_workers.hpp"

#include <boost/asio/io_context.hpp>

#include <functional>
#include <mutex>
#include <string>

namespace troupe::k8s::node {

/// Streams the logs of the node's pods. Thread-safe; reads logs on the node's
/// thread.
class pod_log_reader : public log_source {
public:
  pod_log_reader(boost::asio::io_context& io, const pod_workers& pods)
      : io_(io)
      , pods_(pods) {}

  std::function<void()> stream_log(const std::string& ns,
                                   const std::string& pod,
                                   const std::string& container,
                                   const log_options& options,
                                   log_sink to) override;

  /// Refuses readers that come later. The io_context still has to answer
  /// earlier ones.
  void reject_new_readers();

private:
  result<std::shared_ptr<container_log>> find_log(const std::string& ns,
                                                  const std::string& pod,
                                                  const std::string& container,
                                                  bool previous) const;

  boost::asio::io_context& io_;
  const pod_workers& pods_;
  std::mutex mutex_;
  bool is_closed_ = false;
};

} // namespace troupe::k8s::node
