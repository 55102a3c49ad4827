#pragma once

#include "k8s/apiserver/api_server.hpp"

namespace troupe::cli {

/// Has `server` refuse to create workloads whose controllers run in Kubernetes'
/// controller manager, which a local cluster does not have: Deployment, Job and
/// their like would be stored and never get a pod.
void refuse_workloads_without_controller(k8s::apiserver::api_server& server);

} // namespace troupe::cli
