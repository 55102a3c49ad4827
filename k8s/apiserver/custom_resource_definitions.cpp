#include "k8s/apiserver/custom_resource_definitions.hpp"

#include "k8s/apiserver/builtin_schemas.hpp"
#include "k8s/apiserver/object_storage.hpp"
#include "k8s/text.hpp"

namespace troupe::k8s::apiserver {

namespace {

json condition(const char* type, const char* reason, const char* message,
               const std::string& now) {
  return {{"type", type},
          {"status", "True"},
          {"reason", reason},
          {"message", message},
          {"lastTransitionTime", now}};
}

std::vector<std::string> strings(const json* list) {
  std::vector<std::string> out;
  if (list && list->is_array())
    for (const auto& s : *list)
      if (s.is_string())
        out.push_back(s.get<std::string>());
  return out;
}

std::vector<printer_column> printer_columns(const json& version) {
  std::vector<printer_column> out{
      {"Name", "string", ".metadata.name", 0, "name", {}}};
  auto* more = find_value(version, {"additionalPrinterColumns"});
  if (!more || !more->is_array() || more->empty()) {
    out.push_back({"Age", "date", ".metadata.creationTimestamp", 0, {}, {}});
    return out;
  }
  for (const auto& c : *more)
    out.push_back({text_at(c, {"name"}), text_at(c, {"type"}),
                   text_at(c, {"jsonPath"}),
                   static_cast<int>(number_at(c, {"priority"})),
                   text_at(c, {"format"}), text_at(c, {"description"})});
  for (auto& c : out)
    if (c.path.empty())
      c.path = ".";
  return out;
}

/// The schema of a version, with what every object has.
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

bool is_storage_version(const json& version) {
  auto* storage = find_value(version, {"storage"});
  return storage && *storage == true;
}

/// The name of the version marked as such; "" if there is none.
std::string storage_version_name(const json& crd) {
  std::string name;
  for (const auto& v : crd["spec"]["versions"])
    if (is_storage_version(v))
      name = text_at(v, {"name"});
  return name;
}

resource_ptr make_served_resource(server_state& state, const json& crd,
                                  const json& version) {
  auto s = std::make_shared<served_resource>();
  const auto& spec = crd["spec"];
  auto* names = find_value(crd, {"spec", "names"});
  s->name = {text_at(spec, {"group"}), text_at(version, {"name"}),
             text_at(*names, {"plural"}), text_at(*names, {"kind"})};
  s->singular = text_at(*names, {"singular"});
  s->short_names = strings(find_value(*names, {"shortNames"}));
  s->categories = strings(find_value(*names, {"categories"}));
  s->bucket = plural_dot_group_bucket(s->name.group, s->name.plural);
  s->namespaced = text_at(spec, {"scope"}) == "Namespaced";
  s->custom = true;
  s->has_status = find_value(version, {"subresources", "status"});
  if (auto* scale = find_value(version, {"subresources", "scale"})) {
    s->has_scale = true;
    s->scale_paths = *scale;
  }
  s->stored_version = storage_version_name(crd);
  s->converter = &state.object_converters[s->bucket];
  s->selectable_fields = {"metadata.name", "metadata.namespace"};
  s->columns = printer_columns(version);
  std::vector<std::string> known;
  s->validation_schema = std::make_shared<const schema>(
      compile_version_schema(version, "", known));
  s->openapi_schema = to_text(version["schema"]["openAPIV3Schema"]);
  return s;
}

void validate_crd_names_and_scope(const json& crd, field_errors& out) {
  for (auto key : {"plural", "kind"})
    if (text_at(crd, {"spec", "names", key}).empty())
      out.push_back(required_value(std::string("spec.names.") + key));
  const auto& group = text_at(crd, {"spec", "group"});
  if (group.empty())
    out.push_back(required_value("spec.group"));
  auto name =
      plural_dot_group_bucket(group, text_at(crd, {"spec", "names", "plural"}));
  if (text_at(crd, {"metadata", "name"}) != name)
    out.push_back(invalid_value("metadata.name",
                                text_at(crd, {"metadata", "name"}),
                                "must be spec.names.plural+\".\"+spec.group"));
  const auto& scope = text_at(crd, {"spec", "scope"});
  if (scope != "Namespaced" && scope != "Cluster")
    out.push_back(
        unsupported_value("spec.scope", scope, {"Cluster", "Namespaced"}));
}

void default_singular_and_list_kind(json& names) {
  const auto kind = text_at(names, {"kind"});
  if (text_at(names, {"singular"}).empty())
    names["singular"] = lower_case(kind);
  if (text_at(names, {"listKind"}).empty())
    names["listKind"] = kind + "List";
}

/// The objects go with their definition. What cannot be removed is when the
/// storage is loaded again.
void purge_objects(server_state& state, const std::string& bucket) {
  std::vector<std::string> keys;
  state.objects.for_each(bucket, {}, {}, [&](const auto& key, const auto&) {
    keys.push_back(key);
    return true;
  });
  try {
    for (const auto& key : keys)
      state.objects.remove(bucket, key);
  } catch (const storage_error&) {
  }
}

} // namespace

field_errors validate_crd(const json& crd, std::vector<std::string>& warnings) {
  field_errors out;
  validate_crd_names_and_scope(crd, out);
  auto* versions = find_value(crd, {"spec", "versions"});
  if (!versions || !versions->is_array() || versions->empty())
    out.push_back(required_value("spec.versions"));
  if (!out.empty())
    return out;
  for (std::size_t i = 0; i < versions->size(); ++i) {
    const auto& v = (*versions)[i];
    auto path = "spec.versions[" + std::to_string(i) + "]";
    if (!find_value(v, {"schema", "openAPIV3Schema"}))
      out.push_back(required_value(path + ".schema.openAPIV3Schema",
                                   "schemas are required"));
    compile_version_schema(v, path + ".schema.openAPIV3Schema", warnings);
  }
  if (storage_version_name(crd).empty())
    out.push_back(invalid_value("spec.versions", versions->size(),
                                "must have exactly one version marked as "
                                "storage version"));
  return out;
}

void set_crd_status_and_names(json& crd) {
  auto& names = crd["spec"]["names"];
  default_singular_and_list_kind(names);
  auto now = text_at(crd, {"metadata", "creationTimestamp"});
  crd["status"] = {
      {"acceptedNames", names},
      {"storedVersions", json::array({storage_version_name(crd)})},
      {"conditions",
       json::array({condition("NamesAccepted", "NoConflicts",
                              "no conflicts found", now),
                    condition("Established", "InitialNamesAccepted",
                              "the initial names have been accepted", now)})}};
}

void purge_objects_without_definition(server_state& state) {
  for (const auto& bucket : state.objects.buckets())
    if (!state.resources.find_stored_version_by_bucket(bucket)
        && !state.objects.find(crd_bucket, storage_key({}, bucket)))
      purge_objects(state, bucket);
}

void register_crd_or_purge_objects(server_state& state, const change& c) {
  if (c.bucket != crd_bucket)
    return;
  std::vector<resource_ptr> versions;
  const auto& crd = c.after->value;
  auto bucket =
      plural_dot_group_bucket(text_at(crd, {"spec", "group"}),
                              text_at(crd, {"spec", "names", "plural"}));
  if (c.type != change::kind::deleted)
    for (const auto& v : crd["spec"]["versions"])
      if (auto* on = find_value(v, {"served"}); on && *on == true)
        versions.push_back(make_served_resource(state, crd, v));
  if (c.type == change::kind::deleted)
    purge_objects(state, bucket);
  state.resources.replace_custom_resource(bucket, std::move(versions));
}

} // namespace troupe::k8s::apiserver
