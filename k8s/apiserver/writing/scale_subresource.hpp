#pragma once

#include "k8s/apiserver/resources/request_info.hpp"
#include "k8s/apiserver/resources/write_result.hpp"
#include "k8s/apiserver/state/server_state.hpp"

namespace troupe::k8s::apiserver {

/// GET, PUT and PATCH of an object's /scale, an autoscaling/v1 Scale. Its
/// resourceVersion is the object's; a stale one is a conflict.
status_or<write_result> read_or_update_scale(server_state& state,
                                             const request_info& info,
                                             const json& body);

} // namespace troupe::k8s::apiserver
