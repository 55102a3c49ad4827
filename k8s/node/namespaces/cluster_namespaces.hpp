#pragma once

#include "k8s/node/unique_descriptor.hpp"
#include "k8s/result.hpp"

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <sys/types.h>

namespace troupe::k8s::node {

/// The host, as pods see it: the bridge.
inline constexpr const char* bridge_address = "10.244.0.1";
/// Where other networks are, if there is a way out.
inline constexpr const char* gateway_address = "10.244.0.2";
/// The network of all pods.
inline constexpr const char* pod_network = "10.244.0.0/16";

/// The namespaces of a pod; they end with the last process and descriptor.
struct pod_namespaces {
  unique_descriptor network;
  unique_descriptor uts;
  unique_descriptor ipc;
};

/// What a container that runs has beside its pod's.
struct container_namespaces {
  unique_descriptor mounts;
  unique_descriptor processes;
};

/// Those of the container of this reaper, which is a child of ours. An error if
/// the container has ended.
result<container_namespaces> open_container_namespaces(pid_t reaper);

/// The namespaces of a cluster, held by a program of their own
/// (namespace_holder.c) that ends with this object, and with this process.
/// Calls wait for that program, some milliseconds. Thread-safe.
class cluster_namespaces {
public:
  /// `holder` is that program's file. Errors say what the kernel refuses.
  static result<std::shared_ptr<cluster_namespaces>>
  start(const std::string& holder);
  ~cluster_namespaces();

  cluster_namespaces(const cluster_namespaces&) = delete;
  cluster_namespaces& operator=(const cluster_namespaces&) = delete;

  /// Makes a pod's namespaces, with an interface of this address; mounts the
  /// pod's /dev/shm at `shm`, a directory of the host, where only the cluster
  /// sees it.
  result<std::shared_ptr<pod_namespaces>> make_pod(const std::string& address,
                                                   const std::string& hostname,
                                                   const std::string& shm);
  void remove_pod(const std::string& shm);
  /// A new socket in the cluster's network, of type SOCK_STREAM or SOCK_DGRAM.
  result<unique_descriptor> make_socket(int type);
  /// One that is bound to a port of the bridge, and listens if it can.
  result<unique_descriptor> listen(int type, std::uint16_t port);
  std::optional<failure> add_to_bridge(const std::string& interface);

  int user() const { return user_.get(); }
  int mounts() const { return mounts_.get(); }
  pid_t holder() const { return pid_; }

private:
  struct answer;

  cluster_namespaces() = default;
  result<nothing> open(const std::string& holder);
  template <class Request>
  result<answer> call(const Request& request, std::size_t descriptors = 0);
  /// An answer with so many descriptors, or an error.
  result<answer> receive(std::size_t descriptors);

  std::mutex mutex_;
  pid_t pid_ = -1;
  unique_descriptor socket_;
  unique_descriptor user_;
  unique_descriptor mounts_;
};

} // namespace troupe::k8s::node
