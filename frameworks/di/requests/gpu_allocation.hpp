#pragma once

#include "k8s/result.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace troupe::frameworks::di {

/// How the GPUs of one logic learner are divided into pods.
struct gpu_policy {
  const char* name = "";
  /// The GPUs of each pod, in order of their ranks. `wanted` > 0, `per_node` >
  /// 0.
  std::vector<std::int64_t> (*split)(std::int64_t wanted,
                                     std::int64_t per_node) = nullptr;
};

/// ec::invalid, with the known names, if no policy has this name.
k8s::result<const gpu_policy*> find_gpu_policy(const std::string& name);

/// How many GPUs the nodes have on which most jobs will run: the most frequent
/// number, or the largest of several that are equally frequent. If that is 0,
/// the largest number of all; 0 without nodes.
std::int64_t typical_gpus_per_node(const std::vector<std::int64_t>& per_node);

/// The same, from a list of nodes, JSON text.
k8s::result<std::int64_t> typical_gpus_in_node_list(const std::string& nodes);

/// One pod of a logic learner.
struct gpu_slice {
  std::int64_t gpus = 0;
  std::int64_t start_rank = 0; ///< GPUs of the pods before it.
  std::int64_t world_size = 0; ///< GPUs of all pods.
};

/// One slice of all GPUs if they fit into one node, or if nothing is known of
/// the nodes (`per_node` is 0).
std::vector<gpu_slice> allocate_gpus(const gpu_policy& policy,
                                     std::int64_t wanted,
                                     std::int64_t per_node);

} // namespace troupe::frameworks::di
