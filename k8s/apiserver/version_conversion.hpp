#pragma once

#include "k8s/apiserver/served_resource.hpp"
#include "k8s/apiserver/store.hpp"

namespace troupe::k8s::apiserver {

// Objects of a custom resource are stored in one version and served in several.
// What lies between is a converter, where a cluster has a conversion webhook.
// Without one only apiVersion differs.

/// The object as it reads under the version of `type`, without what the schema
/// of that does not have; itself if it is stored like that. Defaults are those
/// of the version in which it was written.
status_or<stored_object_ptr> in_served_version(const served_resource& type,
                                               const stored_object_ptr& stored);

/// What is stored for an object of the version of `type`.
status_or<json> in_stored_version(const served_resource& type, json object);

} // namespace troupe::k8s::apiserver
