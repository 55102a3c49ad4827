#include "k8s/apiserver/writing/write_steps.hpp"

#include "k8s/apiserver/base/object_metadata.hpp"
#include "k8s/apiserver/resources/crd_validation.hpp"
#include "k8s/apiserver/resources/version_conversion.hpp"
#include "k8s/apiserver/schema/schema_validation.hpp"
#include "k8s/apiserver/state/custom_resource_definitions.hpp"
#include "k8s/apiserver/writing/deleting.hpp"
#include "k8s/text.hpp"

#include <algorithm>
#include <set>

namespace troupe::k8s::apiserver {

namespace {

// -- prepare ------------------------------------------------------------------

/// Makes the name that a generateName asks for. If several tries are all taken,
/// the client gets AlreadyExists.
void generate_name_if_missing(server_state& state, const request_info& info,
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
  generate_name_if_missing(w.state, w.info, meta);
  for (auto key :
       {"deletionTimestamp", "deletionGracePeriodSeconds", "resourceVersion"})
    meta.erase(key);
  meta["uid"] = w.state.new_uid();
  meta["creationTimestamp"] = w.state.timestamp();
  if (w.info.type->custom || w.info.type->bucket == crd_bucket)
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
void restore_server_set_metadata(json& object, const json& old) {
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

bool is_crd_write_except_status(const object_write& w) {
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
  if (!is_terminating(ns->value()))
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
  const auto& prefix = text_at(w.object, {"metadata", "generateName"});
  // What is put behind it allows for a dash at its end.
  auto stem = prefix;
  if (!stem.empty() && stem.back() == '-')
    stem.back() = 'a';
  if (auto why = w.info.type->name_error(stem); !prefix.empty() && !why.empty())
    out.push_back(invalid_value("metadata.generateName", prefix, why));
  if (auto why = w.info.type->name_error(name); !name.empty() && !why.empty())
    out.push_back(invalid_value("metadata.name", name, why));
}

void forbid_new_finalizers_if_terminating(const json& object, const json& old,
                                          field_errors& out) {
  auto* finalizers = find_value(object, {"metadata", "finalizers"});
  auto* known = find_value(old, {"metadata", "finalizers"});
  if (!is_terminating(old) || !finalizers || !finalizers->is_array())
    return;
  std::set<std::string> found; // Sorted, each once.
  for (const auto& f : *finalizers)
    if (!known || std::find(known->begin(), known->end(), f) == known->end())
      found.insert(to_text(f));
  if (!found.empty())
    out.push_back(forbidden_value(
        "metadata.finalizers",
        "no new finalizers can be added if the object is being deleted, found "
        "new finalizers []string{"
            + join({found.begin(), found.end()}, ", ") + "}"));
}

bool has_spec_and_it_is_unchanged(const json& a, const json& b) {
  auto* spec = find_value(a, {"spec"});
  auto* other = find_value(b, {"spec"});
  return spec && other && *spec == *other;
}

void append_errors(field_errors& out, field_errors more) {
  for (auto& e : more)
    out.push_back(std::move(e));
}

field_errors collect_field_errors(object_write& w) {
  field_errors out;
  const auto& type = *w.info.type;
  const auto& strategy = type.strategy;
  const json* old = w.old ? &w.old->value() : nullptr;
  if (!old)
    validate_name(w, out);
  validate_metadata_except_name(w.object, type.custom, out);
  if (type.custom)
    add_unqualified_finalizer_warnings(w.object, w.warnings);
  if (type.validation_schema)
    validate_value_except_unchanged(*type.validation_schema, w.object, old, "",
                                    out);
  // Rules bind what is new: what was stored before them can be written as long
  // as its spec stays as it is.
  if (strategy.validate
      && !(old && has_spec_and_it_is_unchanged(w.object, *old)))
    append_errors(out, strategy.validate(w.object));
  if (old && strategy.validate_update)
    append_errors(out, strategy.validate_update(w.object, *old));
  if (old)
    forbid_new_finalizers_if_terminating(w.object, *old, out);
  if (is_status_update(w) && strategy.validate_status_update)
    append_errors(out, strategy.validate_status_update(w.object, *old));
  if (is_crd_write_except_status(w)) {
    // Before the rest, which compiles them all. What was stored before there
    // were such limits stays.
    field_errors wrong;
    if (!old || !has_spec_and_it_is_unchanged(w.object, *old))
      wrong = validate_crd_patterns(w.object);
    append_errors(out, wrong.empty() ? validate_crd_except_patterns(
                           w.object, old, w.warnings)
                                     : std::move(wrong));
  }
  return out;
}

// -- store --------------------------------------------------------------------

/// The generation of a custom resource, or of a definition, counts the changes
/// outside of its metadata and status.
void bump_generation_if_changed(object_write& w) {
  const json& old = w.old->value();
  bool same = w.info.type->has_status
                  ? equal_except(w.object, old, {"metadata", "status"})
                  : equal_except(w.object, old, {"metadata"});
  if (!same)
    w.object["metadata"]["generation"] =
        number_at(old, {"metadata", "generation"}) + 1;
}

/// Whether what is stored is in the version that the definition stores now.
bool is_in_storage_version(const object_write& w) {
  const auto& type = *w.info.type;
  return !type.custom
         || w.stored->api_version()
                == type.name.group + "/" + type.storage_version;
}

} // namespace

void prepare_object(object_write& w) {
  const auto& type = *w.info.type;
  if (type.validation_schema)
    drop_nulls_and_apply_defaults(*type.validation_schema, w.object);
  if (w.old)
    w.object["apiVersion"] = w.old->value()["apiVersion"];
  if (is_status_update(w)) {
    w.sent_metadata = w.object["metadata"];
    restore_all_but_status(w.info, w.object, w.old->value());
    return;
  }
  if (w.old)
    restore_server_set_metadata(w.object, w.old->value());
  else
    set_metadata_of_new_object(w);
  if (w.old && type.strategy.prepare_for_update)
    type.strategy.prepare_for_update(w.object, w.old->value(),
                                     w.info.subresource);
  if (type.has_status && w.old)
    copy_field_or_erase(w.object, w.old->value(), "status");
  else if (type.has_status)
    w.object.erase("status");
  if (type.strategy.set_defaults)
    type.strategy.set_defaults(w.object);
  if (!w.old && type.strategy.prepare_for_create)
    type.strategy.prepare_for_create(w.object);
}

void run_mutating_admission_except_subresources(object_write& w) {
  auto mutator =
      w.state.admission_mutators.find(admission_key(w.info.type->name));
  if (w.info.subresource.empty() && mutator != w.state.admission_mutators.end())
    mutator->second(w.object);
}

field_writer make_field_writer(const object_write& w) {
  field_writer out;
  out.manager = w.info.field_manager_or_user_agent();
  out.api_version = w.info.type->name.api_version();
  out.subresource = w.info.subresource;
  out.timestamp = w.state.timestamp();
  return out;
}

void update_managed_fields_if_tracked(object_write& w) {
  if (w.managed_fields_are_set || !w.old
      || !(find_value(w.old->value(), {"metadata", "managedFields"})
           || find_value(w.object, {"metadata", "managedFields"})))
    return;
  auto update = [&](json& next) {
    update_managed_fields(find_schema(*w.info.type), w.old->value(), next,
                          make_field_writer(w));
  };
  // Of custom resources a status update leaves the owners of metadata alone.
  if (!is_status_update(w) || w.info.type->custom)
    return update(w.object);
  auto sent = w.object;
  for (auto key : {"labels", "annotations", "finalizers"})
    copy_field_or_erase(sent["metadata"], w.sent_metadata, key);
  if (w.info.type->bucket != "pods")
    copy_field_or_erase(sent["metadata"], w.sent_metadata, "ownerReferences");
  update(sent);
  copy_field_or_erase(w.object["metadata"], sent["metadata"], "managedFields");
}

std::optional<status_error> validate_object(object_write& w) {
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

std::optional<status_error>
run_validating_admission_except_subresources(object_write& w) {
  auto validator =
      w.state.admission_validators.find(admission_key(w.info.type->name));
  if (!w.info.subresource.empty()
      || validator == w.state.admission_validators.end())
    return std::nullopt;
  auto response =
      validator->second(w.object, w.old ? &w.old->value() : nullptr);
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
  if (is_crd_write_except_status(w))
    set_crd_defaults_and_status(w.object);
  if (w.old && w.object == w.old->value() && is_in_storage_version(w)) {
    out.object = w.stored;
    return out;
  }
  if (w.old && (w.info.type->custom || is_crd_write_except_status(w))
      && !is_status_update(w))
    bump_generation_if_changed(w);
  auto key = storage_key(w.info.ns, text_at(w.object, {"metadata", "name"}));
  if (w.info.is_dry_run()) {
    out.object = std::make_shared<const stored_object>(std::move(w.object));
    return out;
  }
  auto next =
      convert_custom_to_storage_version(*w.info.type, std::move(w.object));
  if (!next)
    return next.error();
  out.object =
      store_or_finish_deletion(w.state, *w.info.type, key, std::move(*next));
  return out;
}

} // namespace troupe::k8s::apiserver
