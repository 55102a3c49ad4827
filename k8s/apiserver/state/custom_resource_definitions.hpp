#pragma once

#include "k8s/apiserver/state/server_state.hpp"

#include <string>
#include <vector>

namespace troupe::k8s::apiserver {

/// The bucket in which the store keeps CustomResourceDefinitions.
constexpr const char* crd_bucket =
    "customresourcedefinitions.apiextensions.k8s.io";

/// Accepts the names of a valid CRD: fills in those that follow from others,
/// and says so in its status.
void set_crd_defaults_and_status(json& crd);

/// Serves the resource of a CRD as a change of the CRD requires. When the CRD
/// is deleted, its objects are deleted. Changes of other objects are ignored.
void register_crd_or_purge_objects(server_state& state, const change& c);

/// Removes objects whose definition is gone because the process ended between
/// the two deletions. If the definition may have existed and cannot be read any
/// more, the objects stay until it is created again.
result<nothing> purge_objects_without_definition(server_state& state);

} // namespace troupe::k8s::apiserver
