#include "k8s/apiserver/schema/builtin_schemas.hpp"

#include "k8s/codec/message_fields.hpp"

#include <mutex>

namespace troupe::k8s::apiserver {

namespace {

schema compile_message_schema(std::string_view name);

struct scalar_type {
  std::string_view message_type;
  const char* type;
  const char* format;
};

constexpr scalar_type scalar_types[] = {
    {"text", "string", ""},          {"number", "integer", ""},
    {"flag", "boolean", ""},         {"bytes", "string", "byte"},
    {"time", "string", "date-time"}, {"micro-time", "string", "date-time"},
};

/// Of one value of the field: an item, or the value of a key.
schema compile_value_schema(const message_field& f) {
  schema out;
  for (const auto& s : scalar_types)
    if (f.type == s.message_type) {
      out.type = s.type;
      out.format = s.format;
      return out;
    }
  if (f.type == "int-or-string") {
    out.int_or_string = true;
    return out;
  }
  if (find_message(f.type))
    return compile_message_schema(f.type);
  // A quantity is a text or any number.
  out.preserve_unknown_fields = true;
  return out;
}

schema compile_field_schema(const message_field& f) {
  auto value = compile_value_schema(f);
  if (!f.is_list && !f.is_map) {
    value.map_is_atomic =
        f.is_atomic || (value.map_is_atomic && !f.is_granular);
    if (!f.default_value.empty())
      value.default_value = std::string(f.default_value);
    return value;
  }
  schema out;
  out.type = f.is_list ? "array" : "object";
  auto& values = f.is_list ? out.items : out.additional_properties;
  values = std::make_shared<const schema>(std::move(value));
  out.map_is_atomic = f.is_atomic;
  out.may_list_repeat = true;
  out.list_is_set = f.merge == list_merge::set;
  out.list_map_keys.assign(f.list_keys.begin(), f.list_keys.end());
  return out;
}

schema compile_message_schema(std::string_view name) {
  schema out;
  out.type = "object";
  const auto* m = find_message(name);
  out.map_is_atomic = m->is_atomic;
  for (const auto& f : m->fields) {
    auto field = compile_field_schema(f);
    if (f.name == "-")
      out.properties.merge(field.properties);
    else
      out.properties.emplace(f.name, std::move(field));
  }
  if (is_object_message(name))
    for (auto key : {"apiVersion", "kind"})
      out.properties[key].type = "string";
  return out;
}

} // namespace

schema object_meta_schema() {
  return compile_message_schema("ObjectMeta");
}

const schema* find_builtin_schema(const resource& type) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<const schema>> compiled;
  auto name = message_name(type.api_version(), type.kind);
  std::lock_guard guard{mutex};
  auto [at, is_new] = compiled.try_emplace(name);
  if (is_new && find_message(name))
    at->second = std::make_unique<const schema>(compile_message_schema(name));
  return at->second.get();
}

} // namespace troupe::k8s::apiserver
