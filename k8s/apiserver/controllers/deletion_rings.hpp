#pragma once

#include "k8s/apiserver/state/owner_graph.hpp"

#include <map>
#include <set>
#include <vector>

namespace troupe::k8s::apiserver {

/// Owners, and the dependents that each waits for.
using waiting_owners = std::map<object_key, std::vector<object_key>>;

/// The owners that wait for each other in a ring, so that none of them would
/// ever be deleted; also those between two rings. Takes linear time.
std::set<object_key> find_deletion_rings(const waiting_owners& waiting);

} // namespace troupe::k8s::apiserver
