#include "k8s/apiserver/schema/structural_schema.hpp"

#include "k8s/apiserver/schema/schema.hpp"
#include "k8s/apiserver/schema/schema_validation.hpp"

#include <algorithm>

namespace troupe::k8s::apiserver {

namespace {

/// Where a schema stands in another.
enum class schema_place : std::uint8_t { root, field, item };

void check_type(const json& schema, schema_place place, const std::string& path,
                field_errors& out) {
  const auto& type = text_at(schema, {"type"});
  if (type.empty()) {
    if (place == schema_place::root)
      out.push_back(
          required_value(path + ".type", "must not be empty at the root"));
    else if (!bool_at(schema, {"x-kubernetes-int-or-string"})
             && !bool_at(schema, {"x-kubernetes-preserve-unknown-fields"}))
      out.push_back(required_value(
          path + ".type", place == schema_place::item
                              ? "must not be empty for specified array items"
                              : "must not be empty for specified object "
                                "fields"));
    return;
  }
  const std::vector<std::string> known{"array",  "boolean", "integer",
                                       "number", "object",  "string"};
  if (std::find(known.begin(), known.end(), type) == known.end())
    out.push_back(unsupported_value(path + ".type", type, known));
  else if (place == schema_place::root && type != "object")
    out.push_back(
        invalid_value(path + ".type", type, "must be object at the root"));
}

void check_default(const json& text, const std::string& path,
                   field_errors& out) {
  auto* value = find_value(text, {"default"});
  if (!value)
    return;
  std::vector<std::string> removed, ignored;
  auto compiled = compile_schema(text, path, ignored);
  auto pruned = *value;
  prune_unknown_fields(compiled, pruned, removed);
  if (!removed.empty()) {
    out.push_back(invalid_value(path + ".default", *value,
                                "must not have unknown fields"));
    return;
  }
  field_errors wrong;
  validate_value_except_unchanged(compiled, *value, nullptr, "", wrong);
  for (auto& e : wrong) {
    e.field = path + ".default" + (e.field.empty() ? "" : "." + e.field);
    out.push_back(std::move(e));
  }
}

/// Below allOf and its like, types and defaults are those of the schema above.
void check_combined_schemas(const json& schema, const std::string& path,
                            field_errors& out) {
  for (auto key : {"type", "default", "additionalProperties", "nullable"})
    if (schema.contains(key))
      out.push_back(
          forbidden_value(path + "." + key, "must be empty to be structural"));
  if (auto* properties = find_value(schema, {"properties"});
      properties && properties->is_object())
    for (const auto& [name, p] : properties->items())
      check_combined_schemas(p, path + ".properties[" + name + "]", out);
  if (auto* items = find_value(schema, {"items"}); items && items->is_object())
    check_combined_schemas(*items, path + ".items", out);
}

void check_schema(const json& schema, schema_place place,
                  const std::string& path, field_errors& out);

void check_children(const json& schema, const std::string& path,
                    field_errors& out) {
  auto* properties = find_value(schema, {"properties"});
  if (properties && properties->is_object())
    for (const auto& [name, p] : properties->items())
      check_schema(p, schema_place::field, path + ".properties[" + name + "]",
                   out);
  auto* more = find_value(schema, {"additionalProperties"});
  if (more && more->is_object())
    check_schema(*more, schema_place::field, path + ".additionalProperties",
                 out);
  if (more && properties && *more != false)
    out.push_back(forbidden_value(
        path + ".additionalProperties",
        "additionalProperties and properties are mutual exclusive"));
  auto* items = find_value(schema, {"items"});
  if (items && items->is_object())
    check_schema(*items, schema_place::item, path + ".items", out);
  else if (text_at(schema, {"type"}) == "array")
    out.push_back(required_value(path + ".items", "must be specified"));
}

void check_schema(const json& schema, schema_place place,
                  const std::string& path, field_errors& out) {
  check_type(schema, place, path, out);
  check_children(schema, path, out);
  if (bool_at(schema, {"uniqueItems"}))
    out.push_back(forbidden_value(path + ".uniqueItems",
                                  "uniqueItems cannot be set to true since the "
                                  "runtime complexity becomes quadratic"));
  auto* keys = find_value(schema, {"x-kubernetes-list-map-keys"});
  if (text_at(schema, {"x-kubernetes-list-type"}) == "map"
      && (!keys || keys->empty()))
    out.push_back(
        required_value(path + ".x-kubernetes-list-map-keys",
                       "must not be empty if x-kubernetes-list-type is map"));
  // Next to int-or-string, both types may be named.
  for (auto key : {"allOf", "anyOf", "oneOf"})
    if (bool_at(schema, {"x-kubernetes-int-or-string"})
        && (schema.contains("anyOf") || schema.contains("allOf")))
      break;
    else if (auto* list = find_value(schema, {key}); list && list->is_array())
      for (std::size_t i = 0; i < list->size(); ++i)
        check_combined_schemas(
            (*list)[i], path + "." + key + "[" + std::to_string(i) + "]", out);
  if (auto* other = find_value(schema, {"not"}); other && other->is_object())
    check_combined_schemas(*other, path + ".not", out);
}

void check_defaults(const json& schema, const std::string& path,
                    field_errors& out) {
  check_default(schema, path, out);
  if (auto* properties = find_value(schema, {"properties"});
      properties && properties->is_object())
    for (const auto& [name, p] : properties->items())
      check_defaults(p, path + ".properties[" + name + "]", out);
  for (auto key : {"items", "additionalProperties"})
    if (auto* child = find_value(schema, {key}); child && child->is_object())
      check_defaults(*child, path + "." + key, out);
}

void check_pattern_and_take_steps(const json& schema, const std::string& path,
                                  std::size_t& steps_left, field_errors& out) {
  const auto& text = text_at(schema, {"pattern"});
  if (text.empty())
    return;
  auto compiled = compile_text_pattern(text);
  auto steps =
      compiled.pattern ? step_count(*compiled.pattern) : max_pattern_steps;
  if (!compiled.pattern)
    out.push_back(invalid_value(
        path + ".pattern", text,
        "must be a valid regular expression, but isn't: " + compiled.error));
  else if (steps > steps_left)
    out.push_back(invalid_value(path + ".pattern", text,
                                "is too much, with the patterns before it: use "
                                "fewer, or repeat less in them"));
  steps_left -= std::min(steps, steps_left);
}

} // namespace

void validate_patterns(const json& schema, const std::string& path,
                       std::size_t& steps_left, field_errors& out) {
  if (!schema.is_object() || steps_left == 0)
    return;
  check_pattern_and_take_steps(schema, path, steps_left, out);
  auto validate = [&](const json& child, const std::string& below) {
    validate_patterns(child, path + "." + below, steps_left, out);
  };
  if (auto* properties = find_value(schema, {"properties"});
      properties && properties->is_object())
    for (const auto& [name, p] : properties->items())
      validate(p, "properties[" + name + "]");
  for (std::string key : {"items", "additionalProperties", "not"})
    if (auto* child = find_value(schema, {key.c_str()}))
      validate(*child, key);
  for (std::string key : {"allOf", "anyOf", "oneOf"})
    if (auto* list = find_value(schema, {key.c_str()});
        list && list->is_array())
      for (std::size_t i = 0; i < list->size(); ++i)
        validate((*list)[i], key + "[" + std::to_string(i) + "]");
}

void validate_structural_schema(const json& schema, const std::string& path,
                                field_errors& out) {
  auto before = out.size();
  check_schema(schema, schema_place::root, path, out);
  if (out.size() == before)
    check_defaults(schema, path, out);
}

} // namespace troupe::k8s::apiserver
