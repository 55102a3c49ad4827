#pragma once

#include "k8s/apiserver/patch/field_set.hpp"
#include "k8s/apiserver/schema/schema.hpp"

namespace troupe::k8s::apiserver {

// What server-side apply does with objects. A schema says which maps and lists
// are merged and which are replaced whole; where there is none (nullptr) maps
// are merged and lists replaced.

/// The fields that an applied object sets.
field_set collect_all_fields(const schema* type, const json& value);

/// What has changed between two objects, in fields. A map or list that appears
/// or disappears is in it besides its contents.
struct field_changes {
  field_set added, modified, removed;
};

field_changes compare_fields(const schema* type, const json& old,
                             const json& next);

/// The live object with what is applied. Items of lists that are applied stand
/// in that order, those that only the live object has where they stood.
json merge_applied(const schema* type, const json& live, const json& applied);

/// Removes fields; those that are still owned and their parents stay. Then
/// removes the maps that this has left empty.
void remove_fields(const schema* type, json& value, const field_set& to_remove,
                   const field_set& still_owned);

} // namespace troupe::k8s::apiserver
