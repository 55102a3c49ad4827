#pragma once

#include "k8s/apiserver/state/server_state.hpp"

namespace troupe::k8s::apiserver {

/// Gives the ClusterRoles with an aggregationRule the rules of those that it
/// selects, as a kube-controller-manager does.
void aggregate_cluster_roles(server_state& state);

} // namespace troupe::k8s::apiserver
