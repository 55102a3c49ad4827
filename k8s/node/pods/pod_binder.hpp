#pragma once

#include "k8s/node/base/node.hpp"
#include "k8s/node/base/node_client.hpp"

#include <functional>
#include <map>
#include <set>
#include <string>

namespace troupe::k8s::node {

/// Binds pods without a node to this one, as a scheduler would, while there is
/// room. Other pods stay Pending, with a status and an event that say why.
class pod_binder {
public:
  /// `count_active_pods` counts the node's pods that have not finished,
  /// `count_free_gpus` its GPUs that no pod has.
  pod_binder(node_client& client, const node_options& options,
             std::function<std::size_t()> count_active_pods,
             std::function<std::size_t()> count_free_gpus);

  /// For a pod without a node. Does nothing if the pod was rejected before, its
  /// binding is under way, or the API server refused that for good.
  void bind_or_reject_if_new(const json& pod);
  /// For a pod that has a node, or was deleted.
  void forget_pod(const std::string& uid);
  /// Binds rejected pods for which there is room now.
  void bind_rejected_pods_that_fit();

private:
  /// Why there is no room for the pod, or "".
  std::string find_missing_room_reason(const json& pod) const;
  void bind(const json& pod);
  void reject_as_unschedulable(const json& pod, const std::string& reason,
                               const std::string& why);
  /// Writes the status and the event that say why.
  void report_as_unschedulable(const json& pod, const std::string& reason,
                               const std::string& why);
  /// Until the write succeeds or fails for good. A pod that is bound meanwhile
  /// keeps the status that its start gives it.
  void write_status_while_unbound(const std::string& uid, const request& r);
  void retry_or_report_failed_bind(const json& pod,
                                   const result<std::string>& answer);

  node_client& client_;
  const node_options& options_;
  std::function<std::size_t()> count_active_pods_;
  std::function<std::size_t()> count_free_gpus_;
  /// UID -> GPUs that the pod asks for; the answer is awaited.
  std::map<std::string, std::size_t> binding_;
  std::map<std::string, json> rejected_; ///< By UID.
  std::set<std::string> refused_;        ///< UIDs of pods not bound again.
};

} // namespace troupe::k8s::node
