#include "k8s/apiserver/schema/schema.hpp"

namespace troupe::k8s::apiserver {

namespace {

json value_or_null(const json& o, const char* key) {
  auto* v = find_value(o, {key});
  return v ? *v : json(nullptr);
}

void compile_immutability_rules(schema& out, const json& text,
                                const std::string& path,
                                std::vector<std::string>& warnings) {
  auto* rules = find_value(text, {"x-kubernetes-validations"});
  if (!rules || !rules->is_array())
    return;
  for (const auto& r : *rules) {
    const auto& rule = text_at(r, {"rule"});
    const auto& message = text_at(r, {"message"});
    if (rule == "self == oldSelf")
      out.immutable_messages.push_back(message.empty() ? "failed rule: " + rule
                                                       : message);
    else
      warnings.push_back(path + ".x-kubernetes-validations: the rule \"" + rule
                         + "\" is not enforced here");
  }
}

void compile_pattern(schema& out, const json& text, const std::string& path,
                     std::vector<std::string>& warnings) {
  out.pattern_text = text_at(text, {"pattern"});
  if (out.pattern_text.empty())
    return;
  out.pattern = compile_text_pattern(out.pattern_text).pattern;
  if (!out.pattern)
    warnings.push_back(path + ".pattern: " + out.pattern_text
                       + " is not enforced here");
}

void compile_bounds(schema& out, const json& text) {
  out.min_length = number_at(text, {"minLength"}, -1);
  out.max_length = number_at(text, {"maxLength"}, -1);
  out.min_items = number_at(text, {"minItems"}, -1);
  out.max_items = number_at(text, {"maxItems"}, -1);
  out.min_properties = number_at(text, {"minProperties"}, -1);
  out.max_properties = number_at(text, {"maxProperties"}, -1);
  out.minimum = value_or_null(text, "minimum");
  out.maximum = value_or_null(text, "maximum");
  out.multiple_of = value_or_null(text, "multipleOf");
  out.exclusive_minimum = bool_at(text, {"exclusiveMinimum"});
  out.exclusive_maximum = bool_at(text, {"exclusiveMaximum"});
}

void compile_subschemas(std::vector<schema>& out, const json& text,
                        const char* key, const std::string& path,
                        std::vector<std::string>& warnings) {
  if (auto* list = find_value(text, {key}); list && list->is_array())
    for (const auto& s : *list)
      out.push_back(compile_schema(s, path + "." + key, warnings));
}

// An embedded resource has the fields every object has, whether its schema
// names them or not.
void add_type_and_metadata_schema(schema& s) {
  for (auto key : {"apiVersion", "kind"})
    s.properties[key].type = "string";
  auto& meta = s.properties["metadata"];
  if (meta.properties.empty() && !meta.additional_properties) {
    meta.type = "object";
    meta.preserve_unknown_fields = true;
  }
}

} // namespace

schema compile_schema(const json& text, const std::string& path,
                      std::vector<std::string>& warnings) {
  schema out;
  out.type = text_at(text, {"type"});
  out.format = text_at(text, {"format"});
  out.nullable = bool_at(text, {"nullable"});
  out.int_or_string = bool_at(text, {"x-kubernetes-int-or-string"});
  out.preserve_unknown_fields =
      bool_at(text, {"x-kubernetes-preserve-unknown-fields"});
  out.embedded_resource = bool_at(text, {"x-kubernetes-embedded-resource"});
  out.list_is_set = text_at(text, {"x-kubernetes-list-type"}) == "set";
  out.map_is_atomic = text_at(text, {"x-kubernetes-map-type"}) == "atomic";
  out.required = strings_at(text, {"required"});
  out.list_map_keys = strings_at(text, {"x-kubernetes-list-map-keys"});
  out.enum_values = value_or_null(text, "enum");
  out.default_value = value_or_null(text, "default");
  compile_bounds(out, text);
  compile_pattern(out, text, path, warnings);
  compile_immutability_rules(out, text, path, warnings);
  if (auto* p = find_value(text, {"properties"}); p && p->is_object())
    for (const auto& [key, s] : p->items())
      out.properties.emplace(key,
                             compile_schema(s, path + "." + key, warnings));
  if (auto* i = find_value(text, {"items"}); i && i->is_object())
    out.items = std::make_shared<const schema>(
        compile_schema(*i, path + "[*]", warnings));
  if (auto* a = find_value(text, {"additionalProperties"}); a && a->is_object())
    out.additional_properties = std::make_shared<const schema>(
        compile_schema(*a, path + "[*]", warnings));
  else if (a && *a == true)
    out.preserve_unknown_fields = true;
  compile_subschemas(out.all_of, text, "allOf", path, warnings);
  compile_subschemas(out.any_of, text, "anyOf", path, warnings);
  compile_subschemas(out.one_of, text, "oneOf", path, warnings);
  if (auto* n = find_value(text, {"not"}); n && n->is_object())
    out.not_schema = std::make_shared<const schema>(
        compile_schema(*n, path + ".not", warnings));
  if (out.embedded_resource)
    add_type_and_metadata_schema(out);
  return out;
}

void prune_unknown_fields(const schema& s, json& value,
                          std::vector<std::string>& removed,
                          const std::string& path) {
  if (value.is_array() && s.items) {
    for (std::size_t i = 0; i < value.size(); ++i)
      prune_unknown_fields(*s.items, value[i], removed,
                           path + "[" + std::to_string(i) + "]");
    return;
  }
  if (!value.is_object())
    return;
  for (auto i = value.begin(); i != value.end();) {
    auto here = path.empty() ? i.key() : path + "." + i.key();
    auto p = s.properties.find(i.key());
    if (p != s.properties.end()) {
      prune_unknown_fields(p->second, *i, removed, here);
    } else if (s.additional_properties) {
      prune_unknown_fields(*s.additional_properties, *i, removed, here);
    } else if (!s.preserve_unknown_fields) {
      removed.push_back(here);
      i = value.erase(i);
      continue;
    }
    ++i;
  }
}

namespace {

/// Of an object's member: what is not nullable is as good as absent.
bool is_dropped_null(const schema& s, const json& value) {
  return value.is_null() && !s.nullable;
}

} // namespace

void drop_nulls_and_apply_defaults(const schema& s, json& value) {
  if (value.is_array() && s.items) {
    for (auto& v : value)
      drop_nulls_and_apply_defaults(*s.items, v);
    return;
  }
  if (!value.is_object())
    return;
  for (auto i = value.begin(); i != value.end();) {
    auto p = s.properties.find(i.key());
    const schema* own =
        p != s.properties.end() ? &p->second : s.additional_properties.get();
    i = own && is_dropped_null(*own, *i) ? value.erase(i) : std::next(i);
  }
  for (const auto& [key, p] : s.properties) {
    bool absent = !value.contains(key);
    if (absent && p.default_value.is_null())
      continue;
    if (absent)
      value[key] = p.default_value;
    drop_nulls_and_apply_defaults(p, value[key]);
  }
  if (s.additional_properties)
    for (auto& [key, v] : value.items())
      if (s.properties.count(key) == 0)
        drop_nulls_and_apply_defaults(*s.additional_properties, v);
}

} // namespace troupe::k8s::apiserver
