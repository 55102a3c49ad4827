#pragma once

#include "k8s/json.hpp"
#include "k8s/objects.hpp"

namespace troupe::k8s::node {

/// Whether, by its status, a container of the pod has ever run.
bool has_started(const json& pod);

/// The status of a pod whose programs ended with the node that ran them: Failed
/// because of a disruption, so that the pod is replaced whatever its restart
/// policy.
json make_lost_pod_status(const json& pod, time_point now);

} // namespace troupe::k8s::node
