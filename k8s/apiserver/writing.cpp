#include "k8s/apiserver/object_metadata.hpp"
#include "k8s/apiserver/patch.hpp"
#include "k8s/apiserver/server_state.hpp"
#include "k8s/apiserver/write_validation.hpp"

namespace troupe::k8s::apiserver {

namespace {

constexpr const char* definitions =
    "customresourcedefinitions.apiextensions.k8s.io";

void begin_metadata(server_state& state, const request_info& info, json& body) {
  auto& meta = body["metadata"];
  for (auto key : {"deletionTimestamp", "deletionGracePeriodSeconds",
                   "resourceVersion", "generation"})
    meta.erase(key);
  meta["uid"] = state.new_uid();
  meta["creationTimestamp"] = state.timestamp();
  if (info.type->custom)
    meta["generation"] = 1;
}

/// Fills in the name a generateName asks for.
void name_it(server_state& state, const request_info& info, json& meta) {
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

json to_stored_form(const request_info& info, json body) {
  return info.type->to_storage ? info.type->to_storage(body) : std::move(body);
}

stored_object_ptr unsaved(json object) {
  auto s = std::make_shared<stored_object>();
  s->text = to_text(object);
  s->value = std::move(object);
  return s;
}

status_error stale(const request_info& info) {
  return conflict(info.type->name.group, info.type->name.plural, info.name,
                  "the object has been modified; please apply your changes to "
                  "the latest version and try again");
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
  const auto& own = text_at(old.value, {"metadata", "uid"});
  if (!uid.empty() && uid != own)
    return conflict(info.type->name.group, info.type->name.plural, info.name,
                    "Precondition failed: UID in precondition: " + uid
                        + ", UID in object meta: " + own);
  const auto& version = text_at(body, {"metadata", "resourceVersion"});
  if (!version.empty() && version != std::to_string(old.resource_version))
    return stale(info);
  return std::nullopt;
}

/// What the server alone writes stays as it was.
void keep_system_fields(json& body, const json& old) {
  auto& meta = body["metadata"];
  const auto& was = old["metadata"];
  for (auto key : {"uid", "creationTimestamp", "deletionTimestamp",
                   "deletionGracePeriodSeconds", "generation",
                   "resourceVersion", "generateName"}) {
    if (auto i = was.find(key); i != was.end())
      meta[key] = *i;
    else
      meta.erase(key);
  }
}

void keep(json& body, const json& old, const char* key) {
  if (auto i = old.find(key); i != old.end())
    body[key] = *i;
  else
    body.erase(key);
}

/// A status update changes the status and nothing else; of a pod, labels,
/// annotations and finalizers, too.
void keep_all_but_status(const request_info& info, json& body,
                         const json& old) {
  auto meta = old["metadata"];
  if (info.type->bucket == "pods")
    for (auto key : {"labels", "annotations", "finalizers"})
      keep(meta, body["metadata"], key);
  json status = body.contains("status") ? body["status"] : json(nullptr);
  body = old;
  body["metadata"] = std::move(meta);
  if (status.is_null())
    body.erase("status");
  else
    body["status"] = std::move(status);
}

void check_finalizers(const json& object, const json& old, field_errors& out) {
  auto* now = look(object, {"metadata", "finalizers"});
  auto* was = look(old, {"metadata", "finalizers"});
  if (!is_terminating(old) || !now || !now->is_array())
    return;
  for (const auto& f : *now)
    if (!was || std::find(was->begin(), was->end(), f) == was->end())
      out.push_back(forbidden_value("metadata.finalizers",
                                    "no new finalizers can be added if the "
                                    "object is being deleted, found "
                                    "new finalizers []string{"
                                        + to_text(f) + "}"));
}

/// Lets `body` replace `old`.
status_or<write_result> replace(server_state& state, const request_info& info,
                                json body, const stored_object_ptr& old) {
  write_result out;
  if (auto error = prepare_metadata(info, body))
    return *error;
  if (auto error = check_preconditions(info, body, *old))
    return *error;
  if (auto error = prune_and_default(info, body, out.warnings))
    return *error;
  bool status = info.subresource == "status";
  body = to_stored_form(info, std::move(body));
  body["apiVersion"] = old->value["apiVersion"];
  if (status) {
    keep_all_but_status(info, body, old->value);
  } else {
    keep_system_fields(body, old->value);
    if (info.type->has_status)
      keep(body, old->value, "status");
    if (info.type->strategy.set_defaults)
      info.type->strategy.set_defaults(body);
  }
  field_errors errors;
  check_object(info, body, &old->value, errors);
  check_finalizers(body, old->value, errors);
  if (status && info.type->strategy.validate_status_update)
    for (auto& x : info.type->strategy.validate_status_update(body, old->value))
      errors.push_back(std::move(x));
  if (info.type->bucket == definitions && !status && errors.empty())
    errors = complete_definition(body, out.warnings);
  if (!errors.empty())
    return invalid(info.type->name.group, info.type->name.kind, info.name,
                   errors);
  if (info.subresource.empty())
    if (auto error = admit(state, info, body, &old->value))
      return *error;
  if (body == old->value) {
    out.object = old;
    return out;
  }
  if (!status && info.type->custom
      && !equal_except(
          body, old->value,
          info.type->has_status
              ? std::initializer_list<const char*>{"metadata", "status"}
              : std::initializer_list<const char*>{"metadata"}))
    body["metadata"]["generation"] =
        number_at(old->value, {"metadata", "generation"}) + 1;
  out.object = info.dry_run()
                   ? unsaved(std::move(body))
                   : store_or_remove(state, *info.type, info.storage_key(),
                                     std::move(body));
  return out;
}

bool has_sub(const request_info& info) {
  return info.subresource.empty()
         || (info.subresource == "status" && info.type->has_status)
         || (info.subresource == "scale" && info.type->has_scale)
         || (info.subresource == "finalize"
             && info.type->bucket == "namespaces");
}

} // namespace

status_or<write_result> create(server_state& state, const request_info& info,
                               json body) {
  write_result out;
  out.status = 201;
  if (!info.name.empty() || (info.type->namespaced && info.ns.empty()))
    return method_not_allowed();
  if (auto error = prepare_metadata(info, body))
    return *error;
  if (!text_at(body, {"metadata", "resourceVersion"}).empty())
    return bad_request(
        "resourceVersion should not be set on objects to be created");
  if (auto error = prune_and_default(info, body, out.warnings))
    return *error;
  name_it(state, info, body["metadata"]);
  auto name = text_at(body, {"metadata", "name"});
  auto key = storage_key(info.ns, name);
  if (auto error = check_namespace(state, info, name))
    return *error;
  begin_metadata(state, info, body);
  if (info.type->has_status)
    body.erase("status");
  if (info.type->strategy.set_defaults)
    info.type->strategy.set_defaults(body);
  if (info.type->strategy.prepare_for_create)
    info.type->strategy.prepare_for_create(body);
  field_errors errors;
  check_object(info, body, nullptr, errors);
  if (info.type->bucket == definitions && errors.empty())
    errors = complete_definition(body, out.warnings);
  if (!errors.empty())
    return invalid(info.type->name.group, info.type->name.kind, name, errors);
  if (state.objects.find(info.type->bucket, key))
    return already_exists(info.type->name.group, info.type->name.plural, name);
  if (auto error = admit(state, info, body, nullptr))
    return *error;
  body = to_stored_form(info, std::move(body));
  out.object = info.dry_run()
                   ? unsaved(std::move(body))
                   : state.objects.put(info.type->bucket, key, std::move(body));
  return out;
}

status_or<write_result> update(server_state& state, const request_info& info,
                               json body) {
  if (info.name.empty() || !has_sub(info))
    return method_not_allowed();
  auto old = state.objects.find(info.type->bucket, info.storage_key());
  if (!old)
    return info.not_found_error();
  if (info.type->custom
      && text_at(body, {"metadata", "resourceVersion"}).empty())
    return invalid(info.type->name.group, info.type->name.plural, info.name,
                   {invalid_value("metadata.resourceVersion", 0,
                                  "must be specified for an update")});
  return replace(state, info, std::move(body), old);
}

status_or<write_result> patch(server_state& state, const request_info& info,
                              const json& body) {
  if (info.name.empty() || !has_sub(info))
    return method_not_allowed();
  auto old = state.objects.find(info.type->bucket, info.storage_key());
  if (!old)
    return info.not_found_error();
  auto type = info.request->headers.find("content-type");
  auto next =
      apply_patch(needs_conversion(*info.type)
                      ? convert_to_served_version(*info.type, old->value)
                      : old->value,
                  body, type == info.request->headers.end() ? "" : type->second,
                  !info.type->custom);
  if (auto* error = error_in(next))
    return *error;
  return replace(state, info, std::move(std::get<json>(next)), old);
}

} // namespace troupe::k8s::apiserver
