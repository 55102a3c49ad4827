#pragma once

#include "config/settings.hpp"

#include <string>

namespace troupe::cli {

/// The namespace of the pod that this process runs in: $MY_POD_NAMESPACE, else
/// that of the service account; "" outside of a pod.
std::string pod_namespace(const config::environment& env);

} // namespace troupe::cli
