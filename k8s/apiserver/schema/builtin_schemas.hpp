#pragma once

#include "k8s/apiserver/schema/schema.hpp"
#include "k8s/objects.hpp"

namespace troupe::k8s::apiserver {

/// The schema of a built-in resource's objects, without limits on their values;
/// nullptr if it is not known. Compiled at its first use. Thread-safe.
const schema* find_builtin_schema(const resource& type);

/// The schema of the metadata of all objects.
schema object_meta_schema();

} // namespace troupe::k8s::apiserver
