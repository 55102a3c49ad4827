#pragma once

#include "k8s/apiserver/request_info.hpp"
#include "k8s/apiserver/server_state.hpp"
#include "k8s/apiserver/write_result.hpp"

namespace troupe::k8s::apiserver {

/// POST of pods/eviction, as `kubectl drain` sends it: deletes the pod with the
/// options of the eviction. No budget forbids it, as nothing here counts
/// disruptions.
status_or<write_result> evict_pod(server_state& state, const request_info& info,
                                  const json& body);

} // namespace troupe::k8s::apiserver
