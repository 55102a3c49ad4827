#pragma once

#include "k8s/apiserver/api_server.hpp"

namespace troupe::cli {

/// Makes `server` refuse to create workloads_without_controller().
void refuse_workloads_without_controller(k8s::apiserver::api_server& server);

} // namespace troupe::cli
