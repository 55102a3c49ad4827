#pragma once

#include "k8s/apiserver/resources/served_resource.hpp"

namespace troupe::k8s::apiserver {

/// How services are defaulted and validated.
write_strategy service_strategy();

} // namespace troupe::k8s::apiserver
