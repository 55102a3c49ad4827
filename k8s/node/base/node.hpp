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
  /// For logs and the like; made if missing. No blanks or colons.
  std::string run_directory;
  /// Where containers work that name none; "" means where we are at the start.
  std::string work_directory;
  /// Containers write into that itself. Else, in namespaces, what each changes
  /// there is its own and stays in the run directory.
  bool is_work_directory_written = false;
  /// The volumes of claims; its `parent` is below the run directory unless it
  /// is named.
  claim_directories claims;
  /// With isolation by namespaces pods do not see what is in these, nor in the
  /// run directory, except for claims.
  std::vector<std::string> hidden_directories = {};
  std::string cluster_domain = "cluster.local";
  /// Where pods reach the API server; they have tokens for it then. "":
  /// nowhere.
  std::string api_server_host = {};
  std::string api_server_port = {};
  std::chrono::milliseconds back_off_base{10'000}; ///< As the kubelet's.
  std::size_t max_pods = 1000; ///< Further ones stay Pending.
  /// By index; pods that ask for nvidia.com/gpu share them out. Without any
  /// such pods run without.
  std::vector<int> gpus;
  std::string gpu_usage_program = "nvidia-smi"; ///< In PATH, or a path.
  isolation_kind isolation = isolation_kind::preload;
  pod_subnet subnet; ///< With isolation by namespaces.
  /// Services, NAME.NS, that the host itself offers at its address in the pods'
  /// network.
  std::vector<std::string> host_services = {};
};

/// A node that runs pods as host processes, without root and without images. An
/// ordinary API client: binds pods to itself, runs them, reports their status,
/// ends them. Has one thread of its own; thread-safe. Programs that it started
/// do not outlive this process, however that ends.
class node : public log_source, public usage_source {
public:
  /// Ends every process (SIGTERM, a second's grace, SIGKILL) and the thread,
  /// within some five seconds. What follows from it is not told to the API
  /// server: that is about to end, too. So does the destructor.
  virtual void stop() = 0;
  /// Runs commands in its pods, attaches and connects to them; null if nothing
  /// runs there. Lives as long as the node.
  virtual streaming_runtime* streams() { return nullptr; }
  virtual isolation_report isolation() const = 0;
  /// A socket that listens on a port of the host's address in the pods' network
  /// (0: on a free one); an error if they have none of their own. Thread-safe.
  virtual result<unique_descriptor>
  listen_in_pod_network(std::uint16_t port) = 0;
};

/// Starts a node. Errors name the directory that cannot be used.
result<std::shared_ptr<node>> start_node(std::shared_ptr<api> client,
                                         node_options options);

} // namespace troupe::k8s::node
