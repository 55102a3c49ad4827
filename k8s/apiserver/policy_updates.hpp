#pragma once

#include "k8s/apiserver/rbac_authorizer.hpp"
#include "k8s/apiserver/store.hpp"

namespace troupe::k8s::apiserver {

struct server_state;

/// Keeps the policy as the stored roles and bindings say.
void apply_change_to_policy(rbac_policy& policy, const change& c);

/// Gives the ClusterRoles with an aggregationRule the rules of those that it
/// selects, as a kube-controller-manager does.
void aggregate_cluster_roles(server_state& state);

} // namespace troupe::k8s::apiserver
