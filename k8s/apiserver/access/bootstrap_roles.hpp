#pragma once

#include "k8s/json.hpp"

#include <vector>

namespace troupe::k8s::apiserver {

/// The ClusterRoles and ClusterRoleBindings that a cluster begins with, of
/// those that make sense here: cluster-admin, admin, edit, view, what everybody
/// may ask for (system:discovery, system:basic-user, system:public-info-viewer)
/// and what the node of this process needs (system:node).
const std::vector<json>& bootstrap_roles();

/// The stored object with the rules or subjects of `wanted` that it lacks, as
/// kube-apiserver puts its own right at each start; as it is if its annotation
/// rbac.authorization.kubernetes.io/autoupdate says false.
json add_missing_rules_and_subjects(json stored, const json& wanted);

} // namespace troupe::k8s::apiserver
