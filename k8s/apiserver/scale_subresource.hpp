#pragma once

#include "k8s/apiserver/request_info.hpp"
#include "k8s/apiserver/server_state.hpp"
#include "k8s/apiserver/write_result.hpp"

namespace troupe::k8s::apiserver {

/// GET, PUT and PATCH of an object's /scale, an autoscaling/v1 Scale. Its
/// resourceVersion is the object's; a stale one is a conflict.
status_or<write_result> read_or_update_scale(server_state& state,
                                             const request_info& info,
                                             const json& body);

} // namespace troupe::k8s::apiserver
