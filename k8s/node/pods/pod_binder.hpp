#pragma once

#include "k8s/node/base/node.hpp"
#include "k8s/node/base/node_client.hpp"

#include <functional>
#include <map>
#include <string>

namespace troupe::k8s::node {

/// Binds pods that have no node to this one, as a scheduler would, as long as
/// there is room. Those it cannot bind stay Pending, with a status and an event
/// that say why.
class pod_binder {
public:
  /// `count_active_pods`: how many of the node's pods have not finished.
  /// `count_free_gpus`: how many of its GPUs none of them has.
  pod_binder(node_client& client, const node_options& options,
             std::function<std::size_t()> count_active_pods,
             std::function<std::size_t()> count_free_gpus);

  /// A pod that has no node.
  void bind_or_reject(const json& pod);
  /// The pod has a node, or has been deleted.
  void forget_pod(const std::string& uid);
  /// Binds pods that were rejected, as far as there is room now.
  void bind_rejected_pods_that_fit();

private:
  /// Why the pod has to wait, or "".
  std::string find_unschedulable_reason(const json& pod) const;
  void bind(const json& pod);
  void reject_as_unschedulable(const json& pod, const std::string& reason,
                               const std::string& why);
  void handle_bind_answer(const json& pod, const result<std::string>& answer);

  node_client& client_;
  const node_options& options_;
  std::function<std::size_t()> count_active_pods_;
  std::function<std::size_t()> count_free_gpus_;
  /// UID -> GPUs that it asks for. The answer is awaited.
  std::map<std::string, std::size_t> binding_;
  std::map<std::string, json> rejected_; ///< By UID.
};

} // namespace troupe::k8s::node
