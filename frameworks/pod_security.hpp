#pragma once

#include <nlohmann/json_fwd.hpp>

namespace troupe::frameworks {

/// Sets the security context of a container that is about to be added to a pod.
/// If all of the pod's own containers comply with the Pod Security Standard
/// `restricted`, the container gets the security context that the standard
/// requires, so that a namespace which enforces it admits the pod. Otherwise
/// the container stays as it is. Fields that the pod's security context sets
/// are not repeated. The user is that of the first container, or 65532 if
/// neither names one, because the added images run as root otherwise.
void restrict_container_if_pod_complies(nlohmann::json& container,
                                        const nlohmann::json& spec);

} // namespace troupe::frameworks
