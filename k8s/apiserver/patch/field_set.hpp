#pragma once

#include "k8s/json.hpp"

#include <map>
#include <string>
#include <vector>

namespace troupe::k8s::apiserver {

/// A set of fields of an object, as a tree, like the FieldsV1 of managedFields.
struct field_set {
  bool is_member = false; ///< Whether the field of this node is in the set.
  /// By "f:<name>" for a field, "k:<keys as JSON>" for the item of a list that
  /// is merged by keys, "v:<JSON>" for the item of a set.
  std::map<std::string, field_set, std::less<>> children;

  bool empty() const { return !is_member && children.empty(); }
};

bool operator==(const field_set& a, const field_set& b);

/// Values that are not in the format are left out.
field_set parse_fields_v1(const json& fields);
json to_fields_v1(const field_set& fields);

void add_fields(field_set& to, const field_set& more);
void subtract_fields(field_set& from, const field_set& which);
field_set intersect_fields(const field_set& a, const field_set& b);

/// The child of that name, or nullptr.
const field_set* find_child(const field_set* fields, std::string_view name);

/// The members as conflicts name them: `.spec.containers[name="a"].image`.
std::vector<std::string> paths_of_members(const field_set& fields);

} // namespace troupe::k8s::apiserver
