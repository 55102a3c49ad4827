#pragma once

#include "k8s/objects.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace troupe::cli {

/// Workloads whose controllers run in Kubernetes' controller manager, and not
/// in a local cluster: Deployment, CronJob and their like would be stored and
/// never get a pod.
const std::vector<k8s::resource>& workloads_without_controller();

/// Whether an apiVersion is of Kubernetes' own groups, which have no dot or end
/// in ".k8s.io": "v1" and "extensions/v1beta1" are, "batch.volcano.sh/v1alpha1"
/// is not.
bool is_api_of_kubernetes(std::string_view api_version);

/// Why an object of this kind of Kubernetes' own, of any version that it ever
/// had, does nothing in a local cluster: those workloads, and what an ingress
/// controller or an autoscaler would look at. "" for all others.
std::string missing_controller_message(const std::string& api_version,
                                       const std::string& kind);

} // namespace troupe::cli
