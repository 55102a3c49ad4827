#pragma once

#include "k8s/json.hpp"

#include <map>
#include <string>
#include <vector>

namespace troupe::k8s::node {

/// Where the volumes of PersistentVolumeClaims are on this host.
struct claim_directories {
  std::string parent;                       ///< Of PARENT/NAMESPACE/CLAIM.
  std::map<std::string, std::string> given; ///< By the claim's name.
};

/// The reason of the event that tells where the volume of a claim is.
inline constexpr const char* claim_event_reason = "ClaimDirectory";

/// A claim that a pod mounts.
struct claimed_directory {
  std::string claim;
  std::string path;
};

/// The pod with directories of this host, made if need be, in the place of its
/// claims; what storage a claim asks for, and whether there is such an object,
/// makes no difference. A claim whose name is no name stays as it is. `found`
/// gets those that were replaced. Ephemeral volumes, whose claim would live as
/// long as the pod, become empty directories.
json with_claim_directories(json pod, const claim_directories& where,
                            std::vector<claimed_directory>& found);

} // namespace troupe::k8s::node
