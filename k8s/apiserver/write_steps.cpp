#include "k8s/apiserver/write_steps.hpp"

#include "k8s/apiserver/custom_resource_definitions.hpp"
#include "k8s/apiserver/deleting.hpp"
#include "k8s/apiserver/object_metadata.hpp"
#include "k8s/apiserver/schema_validation.hpp"
#include "k8s/apiserver/version_conversion.hpp"

#include <algorithm>

namespace troupe::k8s::apiserver {

namespace {

// -- decode -------------------------------------------------------------------

/// Checks apiVersion, kind and namespace against the path and fills them in.
/// Drops selfLink and what is null from the metadata.
std::optional<status_error> check_and_fill_metadata(const request_info& info,
                                                    json& body) {
  if (!body.is_object())
    return bad_request("the body of the request must be an object");
  const auto& type = info.type->name;
  const auto& version = text_at(body, {"apiVersion"});
  const auto& kind = text_at(body, {"kind"});
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
  auto& meta = ensure_object(body, "metadata");
  const auto& ns = text_at(meta, {"namespace"});
  if (!ns.empty() && ns != info.ns)
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

std::optional<status_error> check_preconditions(const request_info& info,
                                                const json& body,
                                                const stored_object& old) {
  const auto& name = text_at(body, {"metadata", "name"});
  if (name != info.name)
    return bad_request("the name of the object (" + name
                       + ") does not match the name on the URL (" + info.name
                       + ")");
  const auto& uid = text_at(body, {"metadata", "uid"});
  const auto& stored_uid = text_at(old.value, {"metadata", "uid"});
  if (!uid.empty() && uid != stored_uid)
    return conflict(info.type->name.group, info.type->name.plural, info.name,
                    "Precondition failed: UID in precondition: " + uid
                        + ", UID in object meta: " + stored_uid);
  const auto& version = text_at(body, {"metadata", "resourceVersion"});
  if (!version.empty() && version != std::to_string(old.resource_version))
    return conflict(
        info.type->name.group, info.type->name.plural, info.name,
        "the object has been modified; please apply your changes to "
        "the latest version and try again");
  return std::nullopt;
}

/// What is null in a built-in resource is not set.
void drop_nulls(json& value) {
  if (value.is_object())
    for (auto i = value.begin(); i != value.end();)
      i = i->is_null() ? value.erase(i) : std::next(i);
  for (auto& member : value)
    if (member.is_structured())
      drop_nulls(member);
}

status_error cannot_be_handled(const served_resource& type,
                               const std::string& why) {
  return bad_request(type.name.kind + " in version \"" + type.name.version
                     + "\" cannot be handled as a " + type.name.kind + ": "
                     + why);
}

// -- default ------------------------------------------------------------------

/// Makes the name that a generateName asks for. If several tries are all taken,
/// the client gets AlreadyExists.
void set_generated_name(server_state& state, const request_info& info,
                        json& meta) {
  const auto& prefix = text_at(meta, {"generateName"});
  if (!text_at(meta, {"name"}).empty() || prefix.empty())
    return;
  auto stem = prefix.substr(0, 58);
  std::string name;
  for (int i = 0; i < 8; ++i) {
    name = stem + state.random_suffix();
    if (!state.objects.find(info.type->bucket, storage_key(info.ns, name)))
      break;
  }
  meta["name"] = name;
}

void set_metadata_of_new_object(object_write& w) {
  auto& meta = w.object["metadata"];
  set_generated_name(w.state, w.info, meta);
  for (auto key : {"deletionTimestamp", "deletionGracePeriodSeconds",
                   "resourceVersion", "generation"})
    meta.erase(key);
  meta["uid"] = w.state.new_uid();
  meta["creationTimestamp"] = w.state.timestamp();
  if (w.info.type->custom)
    meta["generation"] = 1;
}

/// Gives `object[key]` the value, or the absence, that it has in `old`.
void copy_field_or_erase(json& object, const json& old, const char* key) {
  if (auto i = old.find(key); i != old.end())
    object[key] = *i;
  else
    object.erase(key);
}

/// Restores the metadata that clients cannot change.
void restore_server_fields(json& object, const json& old) {
  for (auto key : {"uid", "creationTimestamp", "deletionTimestamp",
                   "deletionGracePeriodSeconds", "generation",
                   "resourceVersion", "generateName"})
    copy_field_or_erase(object["metadata"], old["metadata"], key);
}

/// A status update changes the status and nothing else; of a pod, labels,
/// annotations and finalizers, too.
void restore_all_but_status(const request_info& info, json& object,
                            const json& old) {
  json next = old;
  copy_field_or_erase(next["metadata"], object["metadata"], "managedFields");
  if (info.type->bucket == "pods")
    for (auto key : {"labels", "annotations", "finalizers"})
      copy_field_or_erase(next["metadata"], object["metadata"], key);
  auto status = object.find("status");
  if (status == object.end() || status->is_null())
    next.erase("status");
  else
    next["status"] = std::move(*status);
  object = std::move(next);
}

bool is_status_update(const object_write& w) {
  return w.info.subresource == "status";
}

// -- validate -----------------------------------------------------------------

bool is_crd_write(const object_write& w) {
  return w.info.type->bucket == crd_bucket && !is_status_update(w);
}

/// Why nothing can be created in the namespace: it is missing or terminating.
std::optional<status_error> check_namespace_is_active(server_state& state,
                                                      const request_info& info,
                                                      const std::string& name) {
  if (info.ns.empty())
    return std::nullopt;
  auto ns = state.objects.find("namespaces", storage_key("", info.ns));
  if (!ns)
    return not_found("", "namespaces", info.ns);
  if (!is_terminating(ns->value))
    return std::nullopt;
  auto r = forbidden(info.type->name.group, info.type->name.plural, name,
                     "unable to create new content in namespace " + info.ns
                         + " because it is being terminated");
  r.details["causes"] = json::array(
      {{{"reason", "NamespaceTerminating"},
        {"message", "namespace " + info.ns + " is being terminated"},
        {"field", "metadata.namespace"}}});
  return r;
}

void validate_name(const object_write& w, field_errors& out) {
  const auto& name = text_at(w.object, {"metadata", "name"});
  if (name.empty())
    out.push_back(
        required_value("metadata.name", "name or generateName is required"));
  else if (auto why = w.info.type->name_error(name); !why.empty())
    out.push_back(invalid_value("metadata.name", name, why));
}

void validate_finalizers(const json& object, const json& old,
                         field_errors& out) {
  auto* finalizers = find_value(object, {"metadata", "finalizers"});
  auto* known = find_value(old, {"metadata", "finalizers"});
  if (!is_terminating(old) || !finalizers || !finalizers->is_array())
    return;
  for (const auto& f : *finalizers)
    if (!known || std::find(known->begin(), known->end(), f) == known->end())
      out.push_back(forbidden_value("metadata.finalizers",
                                    "no new finalizers can be added if the "
                                    "object is being deleted, found "
                                    "new finalizers []string{"
                                        + to_text(f) + "}"));
}

void append(field_errors& out, field_errors more) {
  for (auto& e : more)
    out.push_back(std::move(e));
}

field_errors collect_field_errors(object_write& w) {
  field_errors out;
  const auto& type = *w.info.type;
  const auto& strategy = type.strategy;
  const json* old = w.old ? &w.old->value : nullptr;
  if (!old)
    validate_name(w, out);
  validate_labels_owners_annotations(w.object, out);
  if (type.validation_schema)
    validate_value(*type.validation_schema, w.object, old, "", out);
  if (strategy.validate)
    append(out, strategy.validate(w.object));
  if (old && strategy.validate_update)
    append(out, strategy.validate_update(w.object, *old));
  if (old)
    validate_finalizers(w.object, *old, out);
  if (is_status_update(w) && strategy.validate_status_update)
    append(out, strategy.validate_status_update(w.object, *old));
  if (is_crd_write(w) && out.empty())
    out = validate_crd(w.object, w.warnings);
  return out;
}

// -- store --------------------------------------------------------------------

/// The generation of a custom resource counts the changes of its spec.
void bump_generation_if_changed(object_write& w) {
  const json& old = w.old->value;
  bool same = w.info.type->has_status
                  ? equal_except(w.object, old, {"metadata", "status"})
                  : equal_except(w.object, old, {"metadata"});
  if (!same)
    w.object["metadata"]["generation"] =
        number_at(old, {"metadata", "generation"}) + 1;
}

/// What an earlier definition stored in another version is written anew.
bool is_in_stored_version(const object_write& w) {
  const auto& type = *w.info.type;
  return !type.custom
         || text_at(w.stored->value, {"apiVersion"})
                == type.name.group + "/" + type.stored_version;
}

/// The result of a dry run.
stored_object_ptr make_dry_run_object(json object) {
  auto s = std::make_shared<stored_object>();
  s->text = to_text(object);
  s->value = std::move(object);
  return s;
}

} // namespace

std::optional<status_error> check_fields(object_write& w) {
  const auto& type = *w.info.type;
  const auto* known = find_structure(type);
  if (!known)
    return std::nullopt;
  if (!type.custom) {
    drop_nulls(w.object);
    field_errors wrong;
    validate_value(*known, w.object, nullptr, "", wrong);
    if (!wrong.empty())
      return cannot_be_handled(type, wrong[0].field + ": " + wrong[0].message);
  }
  std::vector<std::string> removed;
  prune_unknown_fields(*known, w.object, removed);
  for (auto& path : removed)
    path = "unknown field \"" + path + "\"";
  auto validation = w.info.param("fieldValidation");
  if (!removed.empty() && validation == "Strict") {
    std::string all;
    for (const auto& one : removed)
      all += (all.empty() ? "" : ", ") + one;
    return cannot_be_handled(type, "strict decoding error: " + all);
  }
  if (validation != "Ignore")
    w.warnings.insert(w.warnings.end(), removed.begin(), removed.end());
  return std::nullopt;
}

std::optional<status_error> decode(object_write& w) {
  if (auto error = check_and_fill_metadata(w.info, w.object))
    return error;
  if (!w.old && !w.is_apply)
    w.object["metadata"].erase("managedFields");
  if (w.old) {
    if (auto error = check_preconditions(w.info, w.object, *w.old))
      return error;
  } else if (!text_at(w.object, {"metadata", "resourceVersion"}).empty()) {
    return bad_request(
        "resourceVersion should not be set on objects to be created");
  }
  if (auto error = check_fields(w))
    return error;
  if (w.info.type->to_storage)
    w.object = w.info.type->to_storage(w.object);
  return std::nullopt;
}

void set_defaults(object_write& w) {
  const auto& type = *w.info.type;
  if (type.validation_schema)
    apply_defaults(*type.validation_schema, w.object);
  if (w.old)
    w.object["apiVersion"] = w.old->value["apiVersion"];
  if (is_status_update(w)) {
    restore_all_but_status(w.info, w.object, w.old->value);
    return;
  }
  if (w.old)
    restore_server_fields(w.object, w.old->value);
  else
    set_metadata_of_new_object(w);
  if (type.has_status && w.old)
    copy_field_or_erase(w.object, w.old->value, "status");
  else if (type.has_status)
    w.object.erase("status");
  if (type.strategy.set_defaults)
    type.strategy.set_defaults(w.object);
  if (!w.old && type.strategy.prepare_for_create)
    type.strategy.prepare_for_create(w.object);
}

void mutate(object_write& w) {
  auto mutator =
      w.state.admission_mutators.find(admission_key(w.info.type->name));
  if (w.info.subresource.empty() && mutator != w.state.admission_mutators.end())
    mutator->second(w.object);
}

field_writer make_field_writer(const object_write& w) {
  field_writer out;
  out.manager = w.info.field_manager();
  out.api_version = w.info.type->name.api_version();
  out.subresource = w.info.subresource;
  out.timestamp = w.state.timestamp();
  return out;
}

void set_managed_fields(object_write& w) {
  if (w.is_apply || !w.old
      || !(find_value(w.old->value, {"metadata", "managedFields"})
           || find_value(w.object, {"metadata", "managedFields"})))
    return;
  update_managed_fields(find_structure(*w.info.type), w.old->value, w.object,
                        make_field_writer(w));
}

std::optional<status_error> validate(object_write& w) {
  const auto& type = *w.info.type;
  const auto& name = text_at(w.object, {"metadata", "name"});
  if (!w.old)
    if (auto error = check_namespace_is_active(w.state, w.info, name))
      return error;
  if (auto errors = collect_field_errors(w); !errors.empty())
    return invalid(type.name.group, type.name.kind, name, errors);
  if (!w.old && w.state.objects.find(type.bucket, storage_key(w.info.ns, name)))
    return already_exists(type.name.group, type.name.plural, name);
  return std::nullopt;
}

std::optional<status_error> admit(object_write& w) {
  auto validator =
      w.state.admission_validators.find(admission_key(w.info.type->name));
  if (!w.info.subresource.empty()
      || validator == w.state.admission_validators.end())
    return std::nullopt;
  auto response = validator->second(w.object, w.old ? &w.old->value : nullptr);
  for (auto& text : response.warnings)
    w.warnings.push_back(std::move(text));
  if (!response.denial)
    return std::nullopt;
  return status_error{403, "Forbidden", *response.denial, json::object()};
}

status_or<write_result> store_object_unless_dry_run(object_write w) {
  write_result out;
  out.http_status = w.old ? 200 : 201;
  out.warnings = std::move(w.warnings);
  if (is_crd_write(w))
    set_crd_status_and_names(w.object);
  if (w.old && w.object == w.old->value && is_in_stored_version(w)) {
    out.object = w.stored;
    return out;
  }
  if (w.old && w.info.type->custom && !is_status_update(w))
    bump_generation_if_changed(w);
  auto key = storage_key(w.info.ns, text_at(w.object, {"metadata", "name"}));
  if (w.info.dry_run()) {
    out.object = make_dry_run_object(std::move(w.object));
    return out;
  }
  auto next = in_stored_version(*w.info.type, std::move(w.object));
  if (auto* error = error_in(next))
    return *error;
  out.object = store_or_finish_deletion(w.state, *w.info.type, key,
                                        std::get<json>(std::move(next)));
  return out;
}

} // namespace troupe::k8s::apiserver
