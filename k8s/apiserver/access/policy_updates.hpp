#pragma once

#include "k8s/apiserver/access/rbac_authorizer.hpp"
#include "k8s/apiserver/storage/store.hpp"

namespace troupe::k8s::apiserver {

/// Keeps the policy equal to the stored roles and bindings; changes of other
/// objects are ignored.
void apply_change_to_policy(rbac_policy& policy, const change& c);

} // namespace troupe::k8s::apiserver
