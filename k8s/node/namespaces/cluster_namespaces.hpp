#pragma once

#include "k8s/node/base/pod_subnet.hpp"
#include "k8s/node/base/unique_descriptor.hpp"
#include "k8s/result.hpp"

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <sys/types.h>

namespace troupe::k8s::node {

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
  start(const std::string& holder, const pod_subnet& subnet);
  ~cluster_namespaces();

  cluster_namespaces(const cluster_namespaces&) = delete;
  cluster_namespaces& operator=(const cluster_namespaces&) = delete;

  /// Makes a pod's namespaces, with an interface of this address; mounts the
  /// pod's /dev/shm at `shm`, a directory of the host, where only the cluster
  /// sees it.
  result<std::shared_ptr<pod_namespaces>>
  make_pod_namespaces(const std::string& address, const std::string& hostname,
                      const std::string& shm);
  void unmount_pod_shm(const std::string& shm);
  /// Mounts memory at a directory of the host, where only the cluster sees it:
  /// `size` bytes at most, or as much as the kernel gives (0).
  std::optional<failure> mount_memory(const std::string& directory,
                                      std::int64_t size);
  void unmount_memory(const std::string& directory) {
    unmount_pod_shm(directory);
  }
  /// A new socket in the cluster's network, of type SOCK_STREAM or SOCK_DGRAM.
  result<unique_descriptor> make_cluster_socket(int type);
  /// One that is bound to a port of the bridge, and listens if it can.
  result<unique_descriptor> listen(int type, std::uint16_t port);
  std::optional<failure> add_to_bridge(const std::string& interface);

  const pod_subnet& subnet() const { return subnet_; }
  int user_namespace_fd() const { return user_.get(); }
  int mount_namespace_fd() const { return mounts_.get(); }
  pid_t holder_pid() const { return pid_; }

private:
  struct answer;

  explicit cluster_namespaces(const pod_subnet& subnet)
      : subnet_(subnet) {}
  result<nothing> start_holder(const std::string& holder);
  template <class Request>
  result<answer> send_request(const Request& request,
                              std::size_t descriptors = 0);
  /// An answer with so many descriptors, or an error.
  result<answer> receive_answer(std::size_t expected_descriptors);

  const pod_subnet subnet_;
  std::mutex mutex_;
  pid_t pid_ = -1;
  unique_descriptor socket_;
  unique_descriptor user_;
  unique_descriptor mounts_;
};

} // namespace troupe::k8s::node
