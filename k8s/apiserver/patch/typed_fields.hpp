#pragma once

#include "k8s/apiserver/patch/field_set.hpp"
#include "k8s/apiserver/schema/schema.hpp"

namespace troupe::k8s::apiserver {

// The operations of server-side apply on objects. A schema says which maps and
// lists are merged and which are replaced whole; without a schema (nullptr)
// maps are merged and lists replaced.

/// The fields that an applied object sets.
field_set collect_applied_fields(const schema* type, const json& value);

/// The fields that differ between two objects. A map or list that appears or
/// disappears is one of them, besides its contents.
struct field_changes {
  field_set added, modified, removed;
};

field_changes compare_fields(const schema* type, const json& old,
                             const json& next);

/// The live object merged with the applied one. Applied items of lists are in
/// their order there; items that only the live object has keep their places.
json merge_applied(const schema* type, const json& live, const json& applied);

/// Removes fields; those that are still owned and their parents stay. Then
/// removes the maps that this has left empty.
void remove_fields(const schema* type, json& value, const field_set& to_remove,
                   const field_set& still_owned);

} // namespace troupe::k8s::apiserver
