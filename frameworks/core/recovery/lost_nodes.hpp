#pragma once

#include "frameworks/core/model/cluster_options.hpp"
#include "frameworks/core/model/decision.hpp"
#include "frameworks/core/observed/observed.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace troupe::core {

// Pods that are lost with their nodes. A pod whose node does not report, or one
// whose grace period is over and that is still there, may be lost: its kubelet
// does nothing about it, and nobody confirms its end. After a period its node
// is read, and if that one, too, says so, the pod is deleted without a kubelet.

/// That of the job's failure policy, else the operator's; 0: pods are never
/// lost.
std::chrono::milliseconds lost_node_period(const job& j,
                                           const cluster_options& cluster);

/// When the node of this pod is read; nullopt: nothing says that it may be
/// lost.
std::optional<time_point>
lost_at_if_node_stays_silent(const child_view& pod,
                             std::chrono::milliseconds period);

/// A pod that is lost, and why: "its node n7 does not report: it is gone".
struct lost_pod {
  const child_view* pod = nullptr;
  std::string why;
};

struct lost_node_step {
  std::vector<read_node> reads; ///< At most one of each node.
  std::vector<lost_pod> lost;   ///< In the order of their UIDs.
  std::optional<time_point> look_again_at;

  /// Whether the pod is one of them.
  bool is_lost(const child_view& pod) const;
};

/// `finished`: of the job only what is being deleted matters.
lost_node_step find_lost_pods(const job& j, const observed_children& seen,
                              const cluster_options& cluster, bool finished,
                              time_point now);

/// The nodes of the pods that may be lost, whether or not the period is over.
std::set<std::string> nodes_in_doubt(const observed_children& seen);

} // namespace troupe::core
