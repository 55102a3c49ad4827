#include "k8s/apiserver/writing.hpp"

#include "k8s/apiserver/authorization.hpp"
#include "k8s/apiserver/patch.hpp"
#include "k8s/apiserver/role_escalation.hpp"
#include "k8s/apiserver/version_conversion.hpp"
#include "k8s/apiserver/write_steps.hpp"

namespace troupe::k8s::apiserver {

namespace {

std::optional<status_error> prepare_and_check(object_write& w) {
  if (auto error = decode(w))
    return error;
  set_defaults(w);
  mutate(w);
  set_managed_fields(w);
  if (auto error = validate(w))
    return error;
  if (auto error = check_role_escalation(w))
    return error;
  return admit(w);
}

/// Every write takes the same steps.
status_or<write_result> write_object(object_write w) {
  auto error = prepare_and_check(w);
  if (!error)
    return store_object_unless_dry_run(std::move(w));
  error->warnings = std::move(w.warnings);
  return *error;
}

/// Of an update of /scale, read_or_update_scale makes one of the object.
bool is_updatable(const request_info& info) {
  const auto& sub = info.subresource;
  return !info.name.empty()
         && (sub.empty() || sub == "status" || sub == "scale"
             || sub == "finalize")
         && is_subresource_there(info);
}

status_or<write_result> create_by_update(server_state& state,
                                         const request_info& info, json body) {
  const auto& name = text_at(body, {"metadata", "name"});
  if (name != info.name)
    return bad_request("the name of the object (" + name
                       + ") does not match the name on the URL (" + info.name
                       + ")");
  return write_object({state, info, std::move(body), nullptr, nullptr, {}});
}

/// The object in the version of the request.
json object_in_served_version(const served_resource& type,
                              const stored_object_ptr& seen) {
  return type.from_storage ? convert_to_served_version(type, seen->value)
                           : seen->value;
}

std::optional<status_error> check_apply_request(const request_info& info,
                                                const json& applied) {
  if (info.param("fieldManager").empty())
    return invalid(
        "meta.k8s.io", "PatchOptions", "",
        {required_value("fieldManager", "is required for apply patch")});
  if (!applied.is_object())
    return bad_request("the body of the request must be an object");
  const auto& type = info.type->name;
  auto version = text_at(applied, {"apiVersion"}, type.api_version());
  auto kind = text_at(applied, {"kind"}, type.kind);
  if (version != type.api_version() || kind != type.kind)
    return bad_request(std::string("invalid object type: ")
                       + (version.find('/') == version.npos ? "/" : "")
                       + version + ", Kind=" + kind);
  if (find_value(applied, {"metadata", "managedFields"}))
    return bad_request("metadata.managedFields must be nil");
  const auto& name = text_at(applied, {"metadata", "name"});
  if (!name.empty() && name != info.name)
    return bad_request("the name of the object (" + name
                       + ") does not match the name on the URL (" + info.name
                       + ")");
  return std::nullopt;
}

/// The status is written through its subresource, and nothing else is.
void drop_fields_of_other_subresources(const request_info& info, json& o) {
  if (info.subresource != "status") {
    if (info.type->has_status)
      o.erase("status");
    return;
  }
  json status = {{"metadata", {{"name", info.name}}}};
  for (auto key : {"apiVersion", "kind", "status"})
    if (auto value = o.find(key); value != o.end())
      status[key] = std::move(*value);
  o = std::move(status);
}

/// Server-side apply: updates the object, or creates it. `old` and `seen` are
/// null for one that does not exist; `seen` is in the version of the request.
status_or<write_result> apply_object(server_state& state,
                                     const request_info& info, json applied,
                                     stored_object_ptr seen,
                                     stored_object_ptr old) {
  if (auto error = check_apply_request(info, applied))
    return *error;
  applied["metadata"]["name"] = info.name;
  if (!old) // Of what is to be created there is no version.
    applied["metadata"].erase("resourceVersion");
  drop_fields_of_other_subresources(info, applied);
  object_write w{state,           info,           std::move(applied),
                 std::move(seen), std::move(old), {}};
  w.is_apply = true;
  if (auto error = check_fields(w))
    return *error;
  auto writer = make_field_writer(w);
  writer.force = is_query_flag_set(*info.request, "force");
  auto next = apply_configuration(
      find_structure(*info.type),
      w.old ? object_in_served_version(*info.type, w.old) : json{}, w.object,
      writer);
  if (auto* error = error_in(next))
    return *error;
  w.object = std::move(std::get<json>(next));
  return write_object(std::move(w));
}

} // namespace

status_or<write_result> create_object(server_state& state,
                                      const request_info& info, json body) {
  if (!info.name.empty() || (info.type->namespaced && info.ns.empty()))
    return info.method_not_allowed_error();
  return write_object({state, info, std::move(body), nullptr, nullptr, {}});
}

status_or<write_result> update_object(server_state& state,
                                      const request_info& info, json body) {
  if (!is_updatable(info))
    return info.method_not_allowed_error();
  auto old = state.objects.find(info.type->bucket, info.storage_key());
  if (!old && info.type->is_created_by_update && info.subresource.empty()
      && text_at(body, {"metadata", "resourceVersion"}).empty())
    return create_by_update(state, info, std::move(body));
  if (!old)
    return info.not_found_error();
  if (info.type->custom
      && text_at(body, {"metadata", "resourceVersion"}).empty())
    return invalid(info.type->name.group, info.type->name.plural, info.name,
                   {invalid_value("metadata.resourceVersion", 0,
                                  "must be specified for an update")});
  auto served = in_served_version(*info.type, old);
  if (auto* error = error_in(served))
    return *error;
  return write_object({state,
                       info,
                       std::move(body),
                       std::get<stored_object_ptr>(std::move(served)),
                       std::move(old),
                       {}});
}

status_or<write_result>
patch_object(server_state& state, const request_info& info, const json& body) {
  if (!is_updatable(info))
    return info.method_not_allowed_error();
  auto header = info.request->headers.find("content-type");
  auto content_type =
      header == info.request->headers.end() ? "" : header->second;
  bool is_apply = content_type.find("apply-patch") != std::string::npos;
  auto old = state.objects.find(info.type->bucket, info.storage_key());
  if (!old && is_apply && info.subresource.empty()) {
    if (auto error = check_right_to_create(state, *info.request))
      return *error;
    return apply_object(state, info, body, nullptr, nullptr);
  }
  if (!old)
    return info.not_found_error();
  auto served = in_served_version(*info.type, old);
  if (auto* error = error_in(served))
    return *error;
  auto& seen = std::get<stored_object_ptr>(served);
  if (is_apply)
    return apply_object(state, info, body, std::move(seen), std::move(old));
  auto next = apply_patch(object_in_served_version(*info.type, seen), body,
                          content_type, !info.type->custom);
  if (auto* error = error_in(next))
    return *error;
  return write_object({state,
                       info,
                       std::move(std::get<json>(next)),
                       std::move(seen),
                       std::move(old),
                       {}});
}

} // namespace troupe::k8s::apiserver
