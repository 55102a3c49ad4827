#pragma once

#include "k8s/apiserver/schema/schema.hpp"
#include "k8s/objects.hpp"

namespace troupe::k8s::apiserver {

/// What fields the objects of a built-in resource have, without limits on their
/// values. Compiled at its first use; nullptr if it is not known. From any
/// thread.
const schema* find_builtin_schema(const resource& type);

/// The schema of the metadata of all objects.
schema object_meta_schema();

} // namespace troupe::k8s::apiserver
