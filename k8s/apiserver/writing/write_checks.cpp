#include "k8s/apiserver/base/object_limits.hpp"
#include "k8s/apiserver/base/object_metadata.hpp"
#include "k8s/apiserver/schema/builtin_schemas.hpp"
#include "k8s/apiserver/schema/schema_validation.hpp"
#include "k8s/apiserver/writing/write_steps.hpp"

#include <iterator>

namespace troupe::k8s::apiserver {

namespace {

/// Checks apiVersion, kind and namespace against the path and fills them in.
/// Drops selfLink and what is null from the metadata.
std::optional<status_error>
check_and_fill_type_and_metadata(const request_info& info, json& body) {
  if (!body.is_object())
    return bad_request("the body of the request must be an object");
  const auto& type = info.type->name;
  const auto& version = text_at(body, {"apiVersion"});
  const auto& kind = text_at(body, {"kind"});
  if (info.type->custom && (kind.empty() || version.empty()))
    return bad_request(
        "the object provided is unrecognized (must be of type " + type.kind
        + "): '" + (kind.empty() ? "kind" : "apiVersion") + "' is missing");
  if (!version.empty() && version != type.api_version())
    return bad_request("the API version in the data (" + version
                       + ") does not match the expected API version ("
                       + type.api_version() + ")");
  if (!kind.empty() && kind != type.kind)
    return bad_request("the kind in the data (" + kind
                       + ") does not match the expected kind (" + type.kind
                       + ")");
  body["apiVersion"] = type.api_version();
  body["kind"] = type.kind;
  auto& meta = body["metadata"];
  if (meta.is_null())
    meta = json::object();
  if (auto error = check_metadata_types(meta))
    return error;
  const auto& ns = text_at(meta, {"namespace"});
  if (!ns.empty() && ns != info.ns && info.type->namespaced)
    return bad_request("the namespace of the provided object does not match "
                       "the namespace sent on the request");
  if (info.type->namespaced)
    meta["namespace"] = info.ns;
  else
    meta.erase("namespace");
  for (auto i = meta.begin(); i != meta.end();)
    i = i->is_null() || i.key() == "selfLink" ? meta.erase(i) : std::next(i);
  return std::nullopt;
}

/// Refuses changes of metadata that cannot change; prepare_object restores the
/// rest silently. A wrong UID in a PUT is a failed precondition (409);
/// in a PATCH, which merges into the object that is there, it is a change.
void validate_immutable_metadata(const json& body, const json& old,
                                 bool is_patch, field_errors& out) {
  auto check = [&](const char* key) {
    auto* now = find_value(body, {"metadata", key});
    auto* before = find_value(old, {"metadata", key});
    if (now && (!before || *now != *before))
      out.push_back(invalid_value(std::string("metadata.") + key, *now,
                                  "field is immutable"));
  };
  if (is_patch)
    check("uid");
  check("deletionTimestamp");
  check("deletionGracePeriodSeconds");
}

std::optional<status_error>
check_update_name_and_preconditions(const request_info& info, const json& body,
                                    const stored_object& old) {
  const auto& name = text_at(body, {"metadata", "name"});
  if (name.empty())
    return bad_request("the name of the object (" + info.name
                       + " based on URL) was undeterminable: name must be "
                         "provided");
  if (name != info.name)
    return info.name_mismatch_error(name);
  bool is_patch = info.request->method == "PATCH";
  const auto& uid = text_at(body, {"metadata", "uid"});
  const auto& stored_uid = text_at(old.value(), {"metadata", "uid"});
  if (!is_patch && !uid.empty() && uid != stored_uid)
    return conflict(info.type->name.group, info.type->name.plural, info.name,
                    "Precondition failed: UID in precondition: " + uid
                        + ", UID in object meta: " + stored_uid);
  const auto& version = text_at(body, {"metadata", "resourceVersion"});
  if (!version.empty() && version != std::to_string(old.resource_version()))
    return conflict(
        info.type->name.group, info.type->name.plural, info.name,
        "the object has been modified; please apply your changes to "
        "the latest version and try again");
  field_errors changed;
  validate_immutable_metadata(body, old.value(), is_patch, changed);
  if (!changed.empty())
    return invalid(info.type->name.group, info.type->name.kind, name, changed);
  return std::nullopt;
}

/// Drops the empty maps and lists that the schema knows as such.
void drop_empty_maps_and_lists(const schema& type, json& value) {
  if (value.is_array() && type.items)
    for (auto& item : value)
      drop_empty_maps_and_lists(*type.items, item);
  if (!value.is_object())
    return;
  for (auto i = value.begin(); i != value.end();) {
    auto property = type.properties.find(i.key());
    if (property == type.properties.end()) {
      ++i;
      continue;
    }
    const auto& of = property->second;
    drop_empty_maps_and_lists(of, *i);
    bool is_dropped = i->empty() && (of.items || of.additional_properties);
    i = is_dropped ? value.erase(i) : std::next(i);
  }
}

/// An empty map or list counts as not set in a built-in resource, and in the
/// metadata of a custom one.
void drop_unset_maps_and_lists(const served_resource& type, json& object) {
  static const schema metadata = object_meta_schema();
  const auto* known = find_schema(type);
  if (known && !type.custom)
    drop_empty_maps_and_lists(*known, object);
  else
    drop_empty_maps_and_lists(metadata, object["metadata"]);
}

status_error cannot_be_handled_error(const served_resource& type,
                                     const std::string& why) {
  return bad_request(type.name.kind + " in version \"" + type.name.version
                     + "\" cannot be handled as a " + type.name.kind + ": "
                     + why);
}

} // namespace

std::optional<status_error> check_and_prune_fields(object_write& w) {
  const auto& type = *w.info.type;
  const auto* known = find_schema(type);
  if (!known)
    return std::nullopt;
  if (!type.custom) {
    drop_null_members(w.object);
    field_errors wrong;
    validate_value_except_unchanged(*known, w.object, nullptr, "", wrong);
    if (!wrong.empty())
      return cannot_be_handled_error(type,
                                     wrong[0].field + ": " + wrong[0].message);
  }
  std::vector<std::string> removed;
  prune_unknown_fields(*known, w.object, removed);
  for (auto& path : removed)
    path = "unknown field \"" + path + "\"";
  auto validation = w.info.query_param("fieldValidation");
  if (!removed.empty() && validation == "Strict") {
    std::string all;
    for (const auto& one : removed)
      all += (all.empty() ? "" : ", ") + one;
    return cannot_be_handled_error(type, "strict decoding error: " + all);
  }
  if (validation != "Ignore")
    w.warnings.insert(w.warnings.end(), removed.begin(), removed.end());
  return std::nullopt;
}

std::optional<status_error>
check_decodable_and_convert_to_storage(object_write& w) {
  if (auto error = check_object_limits(w.object))
    return error;
  if (auto error = check_and_fill_type_and_metadata(w.info, w.object))
    return error;
  if (!w.old && !w.managed_fields_are_set)
    w.object["metadata"].erase("managedFields");
  if (w.old) {
    if (auto error =
            check_update_name_and_preconditions(w.info, w.object, *w.old))
      return error;
  } else if (!text_at(w.object, {"metadata", "resourceVersion"}).empty()) {
    return bad_request(
        "resourceVersion should not be set on objects to be created");
  }
  if (auto error = check_and_prune_fields(w))
    return error;
  if (w.info.type->strategy.normalize)
    w.info.type->strategy.normalize(w.object);
  drop_unset_maps_and_lists(*w.info.type, w.object);
  if (w.info.type->to_storage)
    w.object = w.info.type->to_storage(w.object);
  return std::nullopt;
}

} // namespace troupe::k8s::apiserver
