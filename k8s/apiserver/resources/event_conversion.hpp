#pragma once

#include "k8s/json.hpp"

namespace troupe::k8s::apiserver {

// Events are stored as core/v1 has them, and served by events.k8s.io/v1 as
// well, where some fields have other names. Only the second function sets
// apiVersion.

json event_to_events_v1(const json& event);
json event_to_core_v1(const json& event);

} // namespace troupe::k8s::apiserver
