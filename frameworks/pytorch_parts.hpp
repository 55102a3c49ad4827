#pragma once

#include "frameworks/core/model/framework.hpp"

namespace troupe::frameworks {

// What a PyTorchJob has beyond its row: for pytorch.cpp, and for the code
// that reads the template of the init container (actors/cli).

/// minReplicas and maxReplicas of elasticPolicy. A missing bound takes the
/// other's value; if both are missing, the current number of workers.
struct worker_bounds {
  std::int32_t min_replicas = 0;
  std::int32_t max_replicas = 0;
};
worker_bounds elastic_bounds(const core::job& j);

/// An autoscaler of the workers, for an elastic job with metrics that is not
/// suspended.
std::vector<core::auxiliary_object>
pytorch_autoscaler_if_elastic(const core::job& j,
                              const core::observed_children& seen,
                              const core::cluster_options& cluster);

/// Marks the master's address in cluster_options::master_wait_template.
inline constexpr const char* master_address_placeholder = "@master-address@";

/// Gives workers of a job with a master an init container that waits until the
/// master's name resolves.
void add_master_wait_containers_if_needed(nlohmann::json& spec,
                                          const core::job& j,
                                          const core::slot& at,
                                          const core::cluster_options& cluster);

} // namespace troupe::frameworks
