#include "k8s/apiserver/state/custom_resource_definitions.hpp"

#include "k8s/apiserver/resources/crd_validation.hpp"
#include "k8s/apiserver/storage/object_database.hpp"
#include "k8s/text.hpp"

#include <algorithm>

namespace troupe::k8s::apiserver {

namespace {

json make_true_condition(const char* type, const char* reason,
                         const char* message, const std::string& now) {
  return {{"type", type},
          {"status", "True"},
          {"reason", reason},
          {"message", message},
          {"lastTransitionTime", now}};
}

std::vector<printer_column> parse_printer_columns(const json& version) {
  std::vector<printer_column> out{
      {"Name", "string", ".metadata.name", 0, "name", {}}};
  auto* more = find_value(version, {"additionalPrinterColumns"});
  if (!more || !more->is_array() || more->empty()) {
    out.push_back({"Age", "date", ".metadata.creationTimestamp", 0, {}, {}});
    return out;
  }
  for (const auto& c : *more)
    out.push_back(
        {text_at(c, {"name"}), text_at(c, {"type"}), text_at(c, {"jsonPath"}),
         static_cast<int>(number_at(c, {"priority"})), text_at(c, {"format"}),
         text_at(c, {"description"},
                 "Custom resource definition column (in JSONPath "
                 "format): "
                     + text_at(c, {"jsonPath"}))});
  for (auto& c : out)
    if (c.path.empty())
      c.path = ".";
  return out;
}

/// Of a deprecated version: its own text, or one that names a version to use
/// instead.
std::string make_deprecation_warning(const json& crd, const json& version,
                                     const resource& name) {
  auto text = name.api_version() + " " + name.kind + " is deprecated";
  for (const auto& v : crd["spec"]["versions"])
    if (bool_at(v, {"served"}) && !bool_at(v, {"deprecated"})) {
      text +=
          "; use " + name.group + "/" + text_at(v, {"name"}) + " " + name.kind;
      break;
    }
  return text_at(version, {"deprecationWarning"}, text);
}

resource_ptr make_served_resource(server_state& state, const json& crd,
                                  const json& version) {
  auto s = std::make_shared<served_resource>();
  const auto& spec = crd["spec"];
  auto* names = find_value(crd, {"spec", "names"});
  s->name = {text_at(spec, {"group"}), text_at(version, {"name"}),
             text_at(*names, {"plural"}), text_at(*names, {"kind"})};
  s->singular = text_at(*names, {"singular"});
  s->list_kind = text_at(*names, {"listKind"});
  if (bool_at(version, {"deprecated"}))
    s->deprecation_warning = make_deprecation_warning(crd, version, s->name);
  s->short_names = strings_at(*names, {"shortNames"});
  s->categories = strings_at(*names, {"categories"});
  s->bucket = plural_dot_group_bucket(s->name.group, s->name.plural);
  s->namespaced = text_at(spec, {"scope"}) == "Namespaced";
  s->custom = true;
  s->has_status = find_value(version, {"subresources", "status"});
  if (auto* scale = find_value(version, {"subresources", "scale"})) {
    s->has_scale = true;
    s->scale_paths = *scale;
  }
  s->storage_version = storage_version_name(crd);
  s->converter = &state.object_converters[s->bucket];
  s->selectable_fields = {"metadata.name", "metadata.namespace"};
  if (auto* fields = find_value(version, {"selectableFields"});
      fields && fields->is_array())
    for (const auto& f : *fields)
      if (const auto& path = text_at(f, {"jsonPath"}); path.size() > 1)
        s->selectable_fields.push_back(path.substr(1));
  s->columns = parse_printer_columns(version);
  std::vector<std::string> known;
  s->validation_schema = std::make_shared<const schema>(
      compile_version_schema(version, "", known));
  s->openapi_schema = to_text(version["schema"]["openAPIV3Schema"]);
  return s;
}

void set_default_singular_and_list_kind(json& names) {
  const auto kind = text_at(names, {"kind"});
  if (text_at(names, {"singular"}).empty())
    names["singular"] = lower_case(kind);
  if (text_at(names, {"listKind"}).empty())
    names["listKind"] = kind + "List";
}

const served_resource*
find_version_of_object(const std::vector<resource_ptr>& versions,
                       const stored_object& object) {
  for (const auto& v : versions)
    if (v->name.api_version() == object.api_version())
      return v.get();
  return nullptr;
}

/// Real servers apply the defaults of the version that an object is stored in
/// whenever it is read. Here objects have them since they were written, so only
/// those that are older than the definition lack some.
void apply_defaults_to_stored_objects(
    server_state& state, const std::string& bucket,
    const std::vector<resource_ptr>& versions) {
  std::vector<std::pair<std::string, json>> changed;
  state.objects.for_each(
      bucket, {}, {}, [&](const std::string& key, const auto& object) {
        const auto* type = find_version_of_object(versions, *object);
        if (!type)
          return true;
        const json& before = object->value();
        auto after = before;
        drop_nulls_and_apply_defaults(*type->validation_schema, after);
        if (after != before)
          changed.emplace_back(key, std::move(after));
        return true;
      });
  for (auto& [key, value] : changed)
    state.objects.restore_without_change_event(bucket, key, std::move(value));
}

/// The objects go with their definition. What cannot be removed is when the
/// database is loaded again.
void purge_objects_as_far_as_possible(server_state& state,
                                      const std::string& bucket) {
  std::vector<std::string> keys;
  state.objects.for_each(bucket, {}, {}, [&](const auto& key, const auto&) {
    keys.push_back(key);
    return true;
  });
  try {
    for (const auto& key : keys)
      state.objects.remove(bucket, key);
  } catch (const database_error&) {
  }
}

} // namespace

void set_crd_defaults_and_status(json& crd) {
  set_default(crd["spec"], "conversion", json{{"strategy", "None"}});
  auto& names = crd["spec"]["names"];
  set_default_singular_and_list_kind(names);
  auto now = text_at(crd, {"metadata", "creationTimestamp"});
  // Objects may still be stored in what was the storage version.
  auto stored = strings_at(crd, {"status", "storedVersions"});
  if (auto last = storage_version_name(crd);
      std::find(stored.begin(), stored.end(), last) == stored.end())
    stored.push_back(last);
  crd["status"] = {
      {"acceptedNames", names},
      {"storedVersions", stored},
      {"conditions",
       json::array({make_true_condition("NamesAccepted", "NoConflicts",
                                        "no conflicts found", now),
                    make_true_condition("Established", "InitialNamesAccepted",
                                        "the initial names have been accepted",
                                        now)})}};
}

result<nothing> purge_objects_without_definition(server_state& state) {
  auto& database = *state.environment.database;
  for (const auto& bucket : state.objects.buckets()) {
    auto definition = storage_key({}, bucket);
    if (state.resources.find_stored_version_by_bucket(bucket)
        || state.objects.find(crd_bucket, definition)
        || database.is_set_aside(crd_bucket, definition))
      continue;
    if (!database.was_broken()) {
      purge_objects_as_far_as_possible(state, bucket);
    } else if (state.objects.size(bucket) > 0) {
      if (auto done = database.set_aside(crd_bucket, definition, "it is lost");
          !done)
        return done;
    }
  }
  return nothing{};
}

void register_crd_or_purge_objects(server_state& state, const change& c) {
  if (c.bucket != crd_bucket)
    return;
  std::vector<resource_ptr> versions;
  const auto& crd = c.after->value();
  auto bucket =
      plural_dot_group_bucket(text_at(crd, {"spec", "group"}),
                              text_at(crd, {"spec", "names", "plural"}));
  if (c.type != change::kind::deleted)
    for (const auto& v : crd["spec"]["versions"])
      if (bool_at(v, {"served"}))
        versions.push_back(make_served_resource(state, crd, v));
  if (c.type == change::kind::deleted)
    purge_objects_as_far_as_possible(state, bucket);
  else
    apply_defaults_to_stored_objects(state, bucket, versions);
  state.resources.replace_custom_resource(bucket, std::move(versions));
}

} // namespace troupe::k8s::apiserver
