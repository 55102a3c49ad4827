#pragma once

#include "k8s/json.hpp"
#include "k8s/objects.hpp"

namespace troupe::k8s::node {

/// Whether the pod has been running, as its status says.
bool has_started(const json& pod);

/// The status of a pod whose programs ended with the node that ran them:
/// Failed, by a disruption, so that it is replaced whatever the policy.
json make_lost_status(const json& pod, time_point now);

} // namespace troupe::k8s::node
