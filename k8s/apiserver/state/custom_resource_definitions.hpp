#pragma once

#include "k8s/apiserver/state/server_state.hpp"

#include <string>
#include <vector>

namespace troupe::k8s::apiserver {

/// Where the store keeps CustomResourceDefinitions.
constexpr const char* crd_bucket =
    "customresourcedefinitions.apiextensions.k8s.io";

/// Accepts the names of a valid CRD: fills in those that follow from others,
/// and says so in its status.
void set_crd_defaults_and_status(json& crd);

/// Serves a CRD's resource as the change of the CRD says. The objects of a
/// deleted one are deleted.
void register_crd_or_purge_objects(server_state& state, const change& c);

/// Removes objects whose definition is gone: the end came between the two. If
/// the definition may have been there, and cannot be read any more, they stay
/// until it is made again.
result<nothing> purge_objects_without_definition(server_state& state);

} // namespace troupe::k8s::apiserver
