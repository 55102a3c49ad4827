#pragma once

#include "k8s/json.hpp"
#include "k8s/text_pattern.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace troupe::k8s::apiserver {

/// A structural schema, compiled from a CRD's openAPIV3Schema. Immutable.
/// Members are named as there, without the prefix x-kubernetes.
struct schema {
  std::string type; ///< "" for int-or-string and unspecified.
  std::map<std::string, schema, std::less<>> properties;
  std::shared_ptr<const schema> items;
  std::shared_ptr<const schema> additional_properties;
  std::vector<std::string> required;
  std::vector<std::string> list_map_keys;
  /// The messages of the rules "self == oldSelf".
  std::vector<std::string> immutable_messages;
  std::vector<schema> all_of, any_of, one_of;
  std::shared_ptr<const schema> not_schema;
  json enum_values = nullptr;
  json default_value = nullptr;
  json minimum = nullptr, maximum = nullptr;
  bool exclusive_minimum = false, exclusive_maximum = false;
  json multiple_of = nullptr;
  std::int64_t min_length = -1, max_length = -1;
  std::int64_t min_items = -1, max_items = -1;
  std::int64_t min_properties = -1, max_properties = -1;
  std::shared_ptr<const text_pattern> pattern;
  std::string pattern_text;
  std::string format;
  bool nullable = false;
  bool int_or_string = false;
  bool preserve_unknown_fields = false;
  bool embedded_resource = false;
  bool list_is_set = false; ///< x-kubernetes-list-type: set.
  /// Whether items may repeat, as in lists of built-in resources.
  bool may_list_repeat = false;
  /// x-kubernetes-map-type: atomic. Server-side apply replaces it whole.
  bool map_is_atomic = false;
};

/// Compiles a schema; rules that cannot be enforced are named in `warnings`.
schema compile_schema(const json& text, const std::string& path,
                      std::vector<std::string>& warnings);

/// Removes the fields that the schema does not have; adds their paths to
/// `removed`.
void prune_unknown_fields(const schema& s, json& value,
                          std::vector<std::string>& removed,
                          const std::string& path = {});

/// Fills in defaults, and first drops members that are null and must not be.
void drop_nulls_and_apply_defaults(const schema& s, json& value);

} // namespace troupe::k8s::apiserver
