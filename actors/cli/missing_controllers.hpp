#pragma once

#include "k8s/apiserver/api_server.hpp"

#include <string>
#include <string_view>

namespace troupe::cli {

/// Has `server` refuse to create workloads whose controllers run in Kubernetes'
/// controller manager, which a local cluster does not have: Deployment, Job and
/// their like would be stored and never get a pod.
void refuse_workloads_without_controller(k8s::apiserver::api_server& server);

/// Whether an apiVersion is of Kubernetes' own groups: "v1" and
/// "extensions/v1beta1" are, "batch.volcano.sh/v1alpha1" is not.
bool is_api_of_kubernetes(std::string_view api_version);

/// Why an object of this kind of Kubernetes' own, of any version that it ever
/// had, does nothing in a local cluster: those workloads, and what an ingress
/// controller or an autoscaler would look at. "" for all others.
std::string missing_controller_message(const std::string& api_version,
                                       const std::string& kind);

} // namespace troupe::cli
