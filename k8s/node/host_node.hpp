#pragma once

#include "k8s/node/base/node.hpp"
#include "k8s/node/base/node_client.hpp"
#include "k8s/node/base/node_directory.hpp"
#include "k8s/node/isolation_choice.hpp"
#include "k8s/node/namespaces/dns_server.hpp"
#include "k8s/node/namespaces/slirp_gateway.hpp"
#include "k8s/node/pods/pod_binder.hpp"
#include "k8s/node/pods/pod_workers.hpp"
#include "k8s/node/service_hosts_writer.hpp"
#include "k8s/node/streams/pod_log_reader.hpp"
#include "k8s/node/streams/pod_streams.hpp"
#include "k8s/node/usage/node_usage_reader.hpp"
#include "k8s/node/volumes/config_source_reader.hpp"
#include "k8s/watch/reflector.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <memory>
#include <thread>
#include <vector>

namespace troupe::k8s::node {

/// The node of node.hpp: its thread and all parts. It hands objects of the API
/// server to the parts that act on them.
class host_node : public node {
public:
  /// The run directory exists.
  host_node(std::shared_ptr<api> client, node_options options,
            isolation_choice choice);
  ~host_node() override { stop(); }

  void start();
  void stop() override;
  isolation_report isolation() const override { return isolation_; }
  result<unique_descriptor> listen_in_pod_network(std::uint16_t port) override;
  std::function<void()> stream_log(const std::string& ns,
                                   const std::string& pod,
                                   const std::string& container,
                                   const log_options& options,
                                   log_sink to) override {
    return logs_.stream_log(ns, pod, container, options, std::move(to));
  }
  void measure_usage(std::function<void(node_usage)> done) override {
    usage_.measure_usage(std::move(done));
  }
  streaming_runtime* streams() override { return &streams_; }

private:
  void start_gateway_and_forward_dns();
  void bind_start_or_end_pod(const json& pod);
  void forget_and_kill_deleted_pod(const json& pod);

  const node_options options_;
  // Answers may come after this has ended.
  std::shared_ptr<boost::asio::io_context> io_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type>
      work_;
  node_client client_;
  node_directory directory_;
  isolation_report isolation_;
  std::shared_ptr<cluster_namespaces> cluster_; ///< Null without namespaces.
  std::unique_ptr<dns_server> dns_;
  std::unique_ptr<slirp_gateway> gateway_;
  config_source_reader sources_;
  pod_workers workers_;
  pod_binder binder_;
  service_hosts_writer hosts_;
  pod_log_reader logs_;
  node_usage_reader usage_;
  pod_streams streams_;
  std::vector<std::shared_ptr<reflector>> reflectors_;
  std::thread thread_;
};

} // namespace troupe::k8s::node
