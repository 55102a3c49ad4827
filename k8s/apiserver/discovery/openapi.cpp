#include "k8s/apiserver/discovery/openapi.hpp"

#include "k8s/codec/message_fields.hpp"
#include "k8s/codec/message_table.hpp"
#include "k8s/text.hpp"

#include <algorithm>

namespace troupe::k8s::apiserver {

namespace {

json make_openapi_info() {
  return {{"title", "Kubernetes"},
          {"version", "v" + std::string(kubernetes_version)}};
}

/// "org.kubeflow.v1.TFJob".
std::string openapi_schema_name(const resource& r) {
  auto parts = split_without_empty_parts(r.group, '.');
  std::reverse(parts.begin(), parts.end());
  parts.push_back(r.version);
  parts.push_back(r.kind);
  return join(parts, ".");
}

// -- built-in resources -------------------------------------------------------

json make_schema_reference(std::string_view message_name) {
  return {{"$ref", "#/components/schemas/" + std::string(message_name)}};
}

/// Of one value of the field: an item, or the value of a key.
json make_value_schema(const message_field& f) {
  const struct {
    std::string_view type;
    json schema;
  } scalars[] = {
      {"text", {{"type", "string"}}},
      {"number", {{"type", "integer"}}},
      {"flag", {{"type", "boolean"}}},
      {"bytes", {{"type", "string"}, {"format", "byte"}}},
      {"time", {{"type", "string"}, {"format", "date-time"}}},
      {"micro-time", {{"type", "string"}, {"format", "date-time"}}},
      {"quantity", {{"type", "string"}}},
      {"int-or-string", {{"type", "string"}, {"format", "int-or-string"}}},
  };
  for (const auto& s : scalars)
    if (f.type == s.type)
      return s.schema;
  return find_message(f.type) ? make_schema_reference(f.type)
                              : json{{"type", "object"}};
}

json make_map_schema(json value, bool is_atomic) {
  json out{{"type", "object"}, {"additionalProperties", std::move(value)}};
  if (is_atomic)
    out["x-kubernetes-map-type"] = "atomic";
  return out;
}

json make_field_schema(const message_field& f) {
  auto value = make_value_schema(f);
  if (f.is_map)
    return make_map_schema(std::move(value), f.is_atomic);
  // A reference has no members beside it.
  if (!f.is_list && (f.is_atomic || f.is_granular))
    return {{"allOf", json::array({std::move(value)})},
            {"x-kubernetes-map-type", f.is_atomic ? "atomic" : "granular"}};
  if (!f.is_list)
    return value;
  json out{{"type", "array"}, {"items", std::move(value)}};
  constexpr const char* merges[] = {"atomic", "set", "map"};
  out["x-kubernetes-list-type"] = merges[static_cast<int>(f.merge)];
  if (!f.list_keys.empty())
    out["x-kubernetes-list-map-keys"] = f.list_keys;
  return out;
}

/// Adds the schema of a message, and of those in its fields.
void add_message_schemas(std::string_view name, json& schemas) {
  const auto* m = find_message(name);
  std::string key{name};
  if (!m || schemas.contains(key))
    return;
  schemas[key] = nullptr; // It is on its way.
  json properties = json::object();
  for (const auto& f : m->fields) {
    add_message_schemas(f.type, schemas);
    if (f.name == "-")
      properties.update(schemas[std::string(f.type)]["properties"]);
    else
      properties[std::string(f.name)] = make_field_schema(f);
  }
  if (is_object_message(name))
    for (auto field : {"apiVersion", "kind"})
      properties[field] = {{"type", "string"}};
  auto& schema = schemas[key] = {{"type", "object"}};
  if (!properties.empty())
    schema["properties"] = std::move(properties);
  if (m->is_atomic)
    schemas[key]["x-kubernetes-map-type"] = "atomic";
}

void add_builtin_schema(const served_resource& t, const json& kind,
                        json& schemas) {
  auto name = message_name(t.name.api_version(), t.name.kind);
  if (!find_message(name))
    return;
  add_message_schemas(name, schemas);
  schemas[name]["x-kubernetes-group-version-kind"] = json::array({kind});
}

// -- custom resources ---------------------------------------------------------

/// The schema of a custom resource, as `kubectl explain` looks for it.
void add_custom_schema(const served_resource& t, const json& kind,
                       json& schemas) {
  auto schema = json::parse(t.openapi_schema);
  auto& properties = ensure_object(schema, "properties");
  for (const char* field : {"apiVersion", "kind"})
    properties.emplace(field, json{{"type", "string"}});
  add_message_schemas("ObjectMeta", schemas);
  properties["metadata"] = make_schema_reference("ObjectMeta");
  schema["x-kubernetes-group-version-kind"] = json::array({kind});
  schemas[openapi_schema_name(t.name)] = std::move(schema);
}

/// Says which parameters a PATCH takes.
json make_patch_path_item(const json& kind) {
  json parameters = json::array({{{"name", "fieldValidation"}, {"in", "query"}},
                                 {{"name", "dryRun"}, {"in", "query"}}});
  return {{"patch",
           {{"x-kubernetes-action", "patch"},
            {"x-kubernetes-group-version-kind", kind},
            {"parameters", std::move(parameters)},
            {"responses", json::object()}}}};
}

} // namespace

json make_empty_openapi_v2() {
  return {{"swagger", "2.0"},
          {"info", make_openapi_info()},
          {"paths", json::object()},
          {"definitions", json::object()}};
}

std::string make_empty_openapi_v2_protobuf() {
  auto field = [](char number, const std::string& bytes) {
    return std::string{static_cast<char>(number << 3 | 2),
                       static_cast<char>(bytes.size())}
           + bytes;
  };
  auto info = make_openapi_info();
  return field(1, "2.0")
         + field(2, field(1, text_at(info, {"title"}))
                        + field(2, text_at(info, {"version"})));
}

json make_openapi_v3(const resource_registry& types, const std::string& root,
                     const std::string& group, const std::string& version) {
  json paths = json::object();
  json schemas = json::object();
  for (const auto& t : types.all()) {
    if (t->name.group != group || t->name.version != version || t->is_review
        || t->is_metrics_resource)
      continue;
    json kind{{"group", group}, {"version", version}, {"kind", t->name.kind}};
    if (!t->custom)
      add_builtin_schema(*t, kind, schemas);
    else if (!t->openapi_schema.empty())
      add_custom_schema(*t, kind, schemas);
    paths["/" + root + (t->namespaced ? "/namespaces/{namespace}/" : "/")
          + t->name.plural + "/{name}"] = make_patch_path_item(kind);
  }
  return {{"openapi", "3.0.0"},
          {"info", make_openapi_info()},
          {"paths", std::move(paths)},
          {"components", {{"schemas", std::move(schemas)}}}};
}

} // namespace troupe::k8s::apiserver
