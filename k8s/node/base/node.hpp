#pragma once

#include "k8s/api.hpp"
#include "k8s/log_source.hpp"
#include "k8s/node/base/claims.hpp"
#include "k8s/node/base/isolation.hpp"
#include "k8s/node/base/pod_subnet.hpp"
#include "k8s/node/base/unique_descriptor.hpp"
#include "k8s/result.hpp"
#include "k8s/streaming_runtime.hpp"
#include "k8s/usage_source.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace troupe::k8s::node {

/// How the node behaves. Plain values.
struct node_options {
  std::string name = "laptop";
  /// For logs, volumes and the like; made if missing. No blanks or colons.
  std::string run_directory;
  /// The work directory of containers that name none; "" means the current
  /// directory at the start.
  std::string work_directory;
  /// Containers write into the work directory itself. If false, with
  /// namespaces, each container's changes are its own and stay in the run
  /// directory.
  bool is_work_directory_written = false;
  /// The volumes of claims; if `parent` is "", it is below the run directory.
  claim_directories claims;
  /// With namespaces, pods do not see what these directories and the run
  /// directory contain, except claims.
  std::vector<std::string> hidden_directories = {};
  std::string cluster_domain = "cluster.local";
  /// The API server's address for pods, which have tokens for it then; "":
  /// none.
  std::string api_server_host = {};
  std::string api_server_port = {};
  std::chrono::milliseconds back_off_base{10'000}; ///< As the kubelet's.
  std::size_t max_pods = 1000; ///< Pods beyond that stay Pending.
  /// By index, divided among pods that ask for nvidia.com/gpu. If the list is
  /// empty, such pods run without GPUs.
  std::vector<int> gpus;
  std::string gpu_usage_program = "nvidia-smi"; ///< In PATH, or a path.
  isolation_kind isolation = isolation_kind::preload;
  pod_subnet subnet; ///< With namespaces.
  /// Services, NAME.NS, of the host itself at its address in the pods' network.
  std::vector<std::string> host_services = {};
};

/// A node that runs pods as host processes, without root and without images. An
/// ordinary API client: binds pods to itself, runs them, reports their status,
/// ends them. It has its own thread and is thread-safe. Programs that it
/// started do not outlive this process, however that ends.
class node : public log_source, public usage_source {
public:
  /// Ends every process (SIGTERM, a second's grace, SIGKILL) and the thread,
  /// within some five seconds. Does not write the resulting statuses to the API
  /// server, which is about to end, too. The destructor does the same.
  virtual void stop() = 0;
  /// Runs commands in the node's pods, attaches and connects to them; null if
  /// its pods run nothing. Lives as long as the node.
  virtual streaming_runtime* streams() { return nullptr; }
  virtual isolation_report isolation() const = 0;
  /// A socket that listens on a port of the host's address in the pods' network
  /// (0: on a free one); an error if pods have no network of their own.
  /// Thread-safe.
  virtual result<unique_descriptor>
  listen_in_pod_network(std::uint16_t port) = 0;
};

/// Starts a node. Errors name a directory that cannot be used, or say why
/// namespaces that were asked for do not work.
result<std::shared_ptr<node>> start_node(std::shared_ptr<api> client,
                                         node_options options);

} // namespace troupe::k8s::node
