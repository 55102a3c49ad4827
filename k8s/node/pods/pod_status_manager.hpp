#pragma once

#include "k8s/node/base/node_client.hpp"
#include "k8s/node/pods/pod_status.hpp"

#include <map>
#include <optional>
#include <string>

namespace troupe::k8s::node {

/// Writes the statuses of pods if they differ from the last ones: one at a time
/// for each pod. While one is in flight, the latest waits.
class pod_status_manager {
public:
  explicit pod_status_manager(node_client& client)
      : client_(client) {}

  /// Returns false if the pod has this status already.
  bool write_status_if_changed(const json& pod,
                               const pod_runtime_status& status);
  /// Writes nothing more for this pod.
  void forget_pod(const std::string& uid) { pods_.erase(uid); }

private:
  struct entry {
    std::string ns;
    std::string name;
    std::string latest; ///< As JSON: a text takes a fraction of the memory.
    bool is_sent = true;
    bool is_writing = false;
  };

  void send_latest_unless_writing(const std::string& uid);
  void send_newer_or_retry(const std::string& uid,
                           const result<std::string>& answer);

  node_client& client_;
  std::map<std::string, entry> pods_; ///< By UID.
};

} // namespace troupe::k8s::node
