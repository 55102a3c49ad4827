#pragma once

#include "k8s/json.hpp"

#include <map>
#include <string>
#include <vector>

namespace troupe::k8s::node {

/// Where the volumes of PersistentVolumeClaims are on this host.
struct claim_directories {
  std::string parent; ///< PARENT of PARENT/NAMESPACE/CLAIM.
  std::map<std::string, std::string> given; ///< By the claim's name.
};

/// The reason of the event that names the directory of a claim.
inline constexpr const char* claim_event_reason = "ClaimDirectory";

/// A claim that a pod mounts.
struct claimed_directory {
  std::string claim;
  std::string path;
};

/// The pod with directories of this host (hostPath volumes, made later if they
/// are missing) in the place of its claims. The storage that a claim asks for,
/// and whether the claim exists, make no difference. A claim whose name is not
/// valid as a directory's stays as it is. `found` gets the claims that were
/// replaced. Ephemeral volumes, whose claim would live as long as the pod,
/// become emptyDirs.
json with_claim_directories(json pod, const claim_directories& where,
                            std::vector<claimed_directory>& found);

} // namespace troupe::k8s::node
