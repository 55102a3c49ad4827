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

/// The namespaces of a pod, which end with their last process and descriptor.
struct pod_namespaces {
  unique_descriptor network;
  unique_descriptor uts;
  unique_descriptor ipc;
};

/// A running container's own namespaces, in addition to its pod's.
struct container_namespaces {
  unique_descriptor mounts;
  unique_descriptor processes;
};

/// Opens the namespaces of the container of this reaper, which is a child of
/// this process. An error if the container has ended.
result<container_namespaces> open_container_namespaces(pid_t reaper);

/// The namespaces of a cluster. A program (namespace_holder.c) holds them and
/// ends with this object, or with this process. Calls wait some milliseconds
/// for that program. Thread-safe.
class cluster_namespaces {
public:
  /// `holder` is the program's file. Errors say what the kernel refuses.
  static result<std::shared_ptr<cluster_namespaces>>
  start(const std::string& holder, const pod_subnet& subnet);
  ~cluster_namespaces();

  cluster_namespaces(const cluster_namespaces&) = delete;
  cluster_namespaces& operator=(const cluster_namespaces&) = delete;

  /// Makes a pod's namespaces, with an interface of this address, and mounts
  /// the pod's /dev/shm at `shm`, a directory of the host; only the cluster
  /// sees that mount.
  result<std::shared_ptr<pod_namespaces>>
  make_pod_namespaces(const std::string& address, const std::string& hostname,
                      const std::string& shm);
  void unmount_pod_shm(const std::string& shm);
  /// Mounts memory of at most `size` bytes (0: as the kernel limits it) at a
  /// directory of the host; only the cluster sees that mount.
  std::optional<failure> mount_memory(const std::string& directory,
                                      std::int64_t size);
  void unmount_memory(const std::string& directory) {
    unmount_pod_shm(directory);
  }
  /// A new socket in the cluster's network, of type SOCK_STREAM or SOCK_DGRAM.
  result<unique_descriptor> make_cluster_socket(int type);
  /// A socket bound to a port of the bridge's address; one of type SOCK_STREAM
  /// listens.
  result<unique_descriptor> listen_on_bridge(int type, std::uint16_t port);
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
  result<answer> send_request_and_receive_answer(const Request& request,
                                                 std::size_t descriptors = 0);
  /// An answer with at least this many descriptors, or an error.
  result<answer> receive_answer(std::size_t expected_descriptors);

  const pod_subnet subnet_;
  std::mutex mutex_;
  pid_t pid_ = -1;
  unique_descriptor socket_;
  unique_descriptor user_;
  unique_descriptor mounts_;
};

} // namespace troupe::k8s::node
