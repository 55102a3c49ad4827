#pragma once

#include <nlohmann/json_fwd.hpp>

namespace troupe::frameworks {

/// Gives a container that is about to be added to a pod the security context
/// that the Pod Security Standard `restricted` asks for, if all of the pod's
/// own containers comply with that: so that a namespace which enforces it
/// admits the pod. Other pods stay as they are. What the pod's own security
/// context says is left to it; a user that neither it nor the first container
/// names is 65532, as the images that are added run as root otherwise.
void restrict_container_if_pod_complies(nlohmann::json& container,
                                        const nlohmann::json& spec);

} // namespace troupe::frameworks
