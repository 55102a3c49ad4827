#pragma once

#include "k8s/apiserver/resources/request_info.hpp"
#include "k8s/apiserver/resources/write_result.hpp"
#include "k8s/apiserver/state/server_state.hpp"

namespace troupe::k8s::apiserver {

/// POST of pods/eviction, as `kubectl drain` sends it: deletes the pod with the
/// options of the eviction. No budget forbids it, since nothing here counts
/// disruptions.
status_or<write_result> evict_pod(server_state& state, const request_info& info,
                                  const json& body);

} // namespace troupe::k8s::apiserver
