#pragma once

#include "k8s/apiserver/field_set.hpp"
#include "k8s/apiserver/schema.hpp"

namespace troupe::k8s::apiserver {

// What server-side apply does with objects. A schema says which maps and lists
// are merged and which are replaced whole; where there is none (nullptr) maps
// are merged and lists replaced.

/// The fields that an applied object sets.
field_set fields_of(const schema* type, const json& value);

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

/// Removes the fields in `which`, but for those in `kept` and what is around
/// these; then the maps that this has left empty.
void remove_fields(const schema* type, json& value, const field_set& which,
                   const field_set& kept);

} // namespace troupe::k8s::apiserver
