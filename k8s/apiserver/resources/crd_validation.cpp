#include "k8s/apiserver/resources/crd_validation.hpp"

#include "k8s/apiserver/base/object_metadata.hpp"
#include "k8s/apiserver/resources/served_resource.hpp"
#include "k8s/apiserver/schema/builtin_schemas.hpp"
#include "k8s/apiserver/schema/structural_schema.hpp"

#include <algorithm>
#include <set>

namespace troupe::k8s::apiserver {

namespace {

constexpr const char* column_types[] = {"boolean", "date", "integer", "number",
                                        "string"};
constexpr const char* column_type_rule =
    "must be one of boolean,date,integer,number,string";

void check_dns1035_label(const std::string& field, const std::string& value,
                         field_errors& out) {
  if (value.empty())
    out.push_back(required_value(field));
  else if (auto why = dns1035_label_error(value); !why.empty())
    out.push_back(invalid_value(field, value, why));
}

void validate_crd_names_and_scope(const json& crd, bool is_new,
                                  field_errors& out) {
  check_dns1035_label("spec.names.plural",
                      text_at(crd, {"spec", "names", "plural"}), out);
  if (text_at(crd, {"spec", "names", "kind"}).empty())
    // The others are made of the kind, if they are not given.
    for (auto key : {"kind", "listKind", "singular"})
      if (text_at(crd, {"spec", "names", key}).empty())
        out.push_back(required_value(std::string("spec.names.") + key));
  const auto& group = text_at(crd, {"spec", "group"});
  if (group.empty())
    out.push_back(required_value("spec.group"));
  auto name =
      plural_dot_group_bucket(group, text_at(crd, {"spec", "names", "plural"}));
  if (is_new && text_at(crd, {"metadata", "name"}) != name)
    out.push_back(invalid_value("metadata.name",
                                text_at(crd, {"metadata", "name"}),
                                "must be spec.names.plural+\".\"+spec.group"));
  const auto& scope = text_at(crd, {"spec", "scope"});
  if (scope.empty())
    out.push_back(required_value("spec.scope"));
  else if (scope != "Namespaced" && scope != "Cluster")
    out.push_back(
        unsupported_value("spec.scope", scope, {"Cluster", "Namespaced"}));
}

bool is_path_from_root(const std::string& path) {
  return path.size() > 1 && path[0] == '.';
}

void check_json_path(const std::string& field, const std::string& path,
                     field_errors& out) {
  if (path.empty())
    out.push_back(required_value(field));
  else if (!is_path_from_root(path))
    out.push_back(invalid_value(field, path,
                                "must be a simple json path starting with ."));
}

void validate_scale_subresource(const json& version, const std::string& path,
                                field_errors& out) {
  auto* scale = find_value(version, {"subresources", "scale"});
  if (!scale)
    return;
  for (auto key : {"specReplicasPath", "statusReplicasPath"})
    check_json_path(path + "subresources.scale." + key, text_at(*scale, {key}),
                    out);
}

void validate_printer_columns(const json& version, const std::string& path,
                              field_errors& out) {
  auto* columns = find_value(version, {"additionalPrinterColumns"});
  if (!columns || !columns->is_array())
    return;
  for (std::size_t i = 0; i < columns->size(); ++i) {
    const auto& c = (*columns)[i];
    auto here = path + "additionalPrinterColumns[" + std::to_string(i) + "].";
    if (text_at(c, {"name"}).empty())
      out.push_back(required_value(here + "name"));
    const auto& type = text_at(c, {"type"});
    if (type.empty())
      out.push_back(required_value(here + "type", column_type_rule));
    else if (std::find(std::begin(column_types), std::end(column_types), type)
             == std::end(column_types))
      out.push_back(invalid_value(here + "type", type, column_type_rule));
    check_json_path(here + "JSONPath", text_at(c, {"jsonPath"}), out);
  }
}

/// Whether all versions have the same there: then errors name it once.
bool is_same_in_all_versions(const json& versions, const char* key) {
  auto of = [&](const json& v) {
    auto* value = find_value(v, {key});
    return value ? *value : json(nullptr);
  };
  return std::all_of(versions.begin(), versions.end(),
                     [&](const json& v) { return of(v) == of(versions[0]); });
}

/// Where errors of a version's schema are; "" if it is checked with the first.
std::string schema_error_path_unless_checked(const json& versions,
                                             std::size_t i) {
  if (!is_same_in_all_versions(versions, "schema"))
    return "spec.versions[" + std::to_string(i) + "].schema.openAPIV3Schema";
  return i == 0 ? "spec.validation.openAPIV3Schema" : "";
}

void validate_crd_version(const json& versions, std::size_t i,
                          field_errors& out,
                          std::vector<std::string>& warnings) {
  const auto& v = versions[i];
  auto path = "spec.versions[" + std::to_string(i) + "].";
  check_dns1035_label(path + "name", text_at(v, {"name"}), out);
  auto* text = find_value(v, {"schema", "openAPIV3Schema"});
  if (!text || !text->is_object()) {
    out.push_back(required_value(path + "schema.openAPIV3Schema"));
    return;
  }
  if (auto at = schema_error_path_unless_checked(versions, i); !at.empty())
    validate_structural_schema(*text, at, out);
  if (!is_same_in_all_versions(versions, "subresources"))
    validate_scale_subresource(v, path, out);
  else if (i == 0)
    validate_scale_subresource(v, "spec.", out);
  if (!is_same_in_all_versions(versions, "additionalPrinterColumns"))
    validate_printer_columns(v, path, out);
  else if (i == 0)
    validate_printer_columns(v, "spec.", out);
  compile_version_schema(v, path + "schema.openAPIV3Schema", warnings);
}

void validate_crd_versions(const json& crd, field_errors& out,
                           std::vector<std::string>& warnings) {
  const auto& versions = crd["spec"]["versions"];
  std::set<std::string> names;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    validate_crd_version(versions, i, out, warnings);
    if (!names.insert(text_at(versions[i], {"name"})).second)
      out.push_back(invalid_value("spec.versions",
                                  text_at(versions[i], {"name"}),
                                  "must contain unique version names"));
  }
  if (std::count_if(versions.begin(), versions.end(),
                    [](const json& v) { return bool_at(v, {"storage"}); })
      != 1)
    out.push_back(invalid_value("spec.versions", versions.size(),
                                "must have exactly one version marked as "
                                "storage version"));
}

void validate_crd_update(const json& crd, const json& old, field_errors& out) {
  auto check = [&](const std::string& field, key_path path) {
    const auto& now = text_at(crd, path);
    if (now != text_at(old, path))
      out.push_back(invalid_value(field, now, "field is immutable"));
  };
  check("spec.scope", {"spec", "scope"});
  check("spec.names.kind", {"spec", "names", "kind"});
  check("spec.group", {"spec", "group"});
  auto* stored = find_value(old, {"status", "storedVersions"});
  for (std::size_t i = 0; stored && i < stored->size(); ++i) {
    const auto& name = (*stored)[i].get_ref<const std::string&>();
    const auto& versions = crd["spec"]["versions"];
    if (std::none_of(versions.begin(), versions.end(), [&](const json& v) {
          return text_at(v, {"name"}) == name;
        }))
      out.push_back(invalid_value(
          "status.storedVersions[" + std::to_string(i) + "]", name,
          "missing from spec.versions; " + name
              + " was previously a storage version, and must remain in "
                "spec.versions until a storage migration ensures no data "
                "remains persisted in "
              + name + " and removes " + name + " from status.storedVersions"));
  }
}

} // namespace

field_errors validate_crd_patterns(const json& crd) {
  // Compiled, they take some 30 MB, and a second.
  std::size_t steps_left = 1'000'000;
  field_errors out;
  auto* versions = find_value(crd, {"spec", "versions"});
  if (!versions || !versions->is_array())
    return out;
  for (std::size_t i = 0; i < versions->size(); ++i) {
    auto* schema = find_value((*versions)[i], {"schema", "openAPIV3Schema"});
    if (auto at = schema_error_path_unless_checked(*versions, i);
        schema && !at.empty())
      validate_patterns(*schema, at, steps_left, out);
  }
  return out;
}

std::string storage_version_name(const json& crd) {
  std::string name;
  for (const auto& v : crd["spec"]["versions"])
    if (bool_at(v, {"storage"}))
      name = text_at(v, {"name"});
  return name;
}

schema compile_version_schema(const json& version, const std::string& path,
                              std::vector<std::string>& warnings) {
  auto* text = find_value(version, {"schema", "openAPIV3Schema"});
  auto out = compile_schema(text ? *text : json::object(), path, warnings);
  out.embedded_resource = true;
  for (auto key : {"apiVersion", "kind"})
    out.properties[key].type = "string";
  out.properties["metadata"] = object_meta_schema();
  return out;
}

field_errors validate_crd_except_patterns(const json& crd, const json* old,
                                          std::vector<std::string>& warnings) {
  field_errors out;
  auto* versions = find_value(crd, {"spec", "versions"});
  if (!versions || !versions->is_array() || versions->empty()) {
    out.push_back(required_value("spec.versions"));
    return out;
  }
  validate_crd_names_and_scope(crd, !old, out);
  validate_crd_versions(crd, out, warnings);
  if (old)
    validate_crd_update(crd, *old, out);
  return out;
}

} // namespace troupe::k8s::apiserver
