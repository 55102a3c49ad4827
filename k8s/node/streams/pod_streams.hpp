#pragma once

#include "k8s/node/pods/pod_workers.hpp"
#include "k8s/streaming_runtime.hpp"

#include <boost/asio/io_context.hpp>

#include <mutex>

namespace troupe::k8s::node {

/// Runs commands in the containers of the node's pods, attaches to them, and
/// connects to pods. Thread-safe; everything happens on the node's thread.
class pod_streams : public streaming_runtime {
public:
  pod_streams(std::shared_ptr<boost::asio::io_context> io, pod_workers& pods)
      : io_(std::move(io))
      , pods_(pods) {}

  stream_session_ptr exec(const container_ref& where, exec_options options,
                          session_sink to) override;
  stream_session_ptr attach(const container_ref& where,
                            const exec_options& options,
                            session_sink to) override;
  stream_session_ptr forward_port(const std::string& ns, const std::string& pod,
                                  std::uint16_t port, session_sink to) override;

  /// Refuses sessions that come later. The io_context still has to end earlier
  /// ones.
  void reject_new_sessions();

private:
  template <class F>
  stream_session_ptr open_session(session_sink to, F start);

  std::shared_ptr<boost::asio::io_context> io_;
  pod_workers& pods_;
  std::mutex mutex_;
  bool is_closed_ = false;
};

} // namespace troupe::k8s::node
