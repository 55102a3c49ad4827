#pragma once

#include "k8s/json.hpp"

#include <vector>

namespace troupe::k8s::apiserver {

/// The ClusterRoles and ClusterRoleBindings that a cluster begins with, as far
/// as they make sense here: cluster-admin, admin, edit, view, the rights of
/// everybody (system:discovery, system:basic-user, system:public-info-viewer)
/// and those of this process's node (system:node).
const std::vector<json>& bootstrap_roles();

/// The stored object with the rules or subjects of `wanted` that it lacks, as
/// kube-apiserver mends its own at each start. It stays as it is if its
/// annotation rbac.authorization.kubernetes.io/autoupdate says false, or if
/// `wanted` aggregates other roles.
json add_missing_rules_and_subjects(json stored, const json& wanted);

} // namespace troupe::k8s::apiserver
