#include "k8s/apiserver/writing/writing.hpp"

#include "k8s/apiserver/access/authorization.hpp"
#include "k8s/apiserver/patch/patch.hpp"
#include "k8s/apiserver/resources/version_conversion.hpp"
#include "k8s/apiserver/writing/role_escalation.hpp"
#include "k8s/apiserver/writing/write_steps.hpp"

namespace troupe::k8s::apiserver {

namespace {

/// The steps before the store changes; write_steps.hpp describes them.
std::optional<status_error> check_and_prepare_write(object_write& w) {
  if (auto error = check_decodable_and_convert_to_storage(w))
    return error;
  prepare_object(w);
  run_mutating_admission_except_subresources(w);
  update_managed_fields_if_tracked(w);
  if (auto error = validate_object(w))
    return error;
  if (auto error = refuse_role_escalation(w))
    return error;
  return run_validating_admission_except_subresources(w);
}

/// `old` and `stored` as in object_write, null for an object to be created.
object_write make_object_write(server_state& state, const request_info& info,
                               json object, stored_object_ptr old,
                               stored_object_ptr stored) {
  return {state, info, std::move(object), std::move(old), std::move(stored),
          {}};
}

object_write make_creation(server_state& state, const request_info& info,
                           json object) {
  return make_object_write(state, info, std::move(object), nullptr, nullptr);
}

/// Creations, updates, patches and applies take the same steps.
status_or<write_result> write_object(object_write w) {
  auto error = check_and_prepare_write(w);
  if (!error)
    return store_object_unless_dry_run(std::move(w));
  error->warnings = std::move(w.warnings);
  return *error;
}

/// A PUT or PATCH of /scale arrives here as an update of the whole object, into
/// which read_or_update_scale has converted it.
bool is_update_path(const request_info& info) {
  const auto& sub = info.subresource;
  return !info.name.empty()
         && (sub.empty() || sub == "status" || sub == "scale"
             || sub == "finalize")
         && is_subresource_served(info);
}

status_or<write_result> create_on_update(server_state& state,
                                         const request_info& info, json body) {
  const auto& name = text_at(body, {"metadata", "name"});
  if (name != info.name)
    return info.name_mismatch_error(name);
  return write_object(make_creation(state, info, std::move(body)));
}

std::optional<status_error> check_apply_request(const request_info& info,
                                                const json& applied) {
  if (info.query_param("fieldManager").empty())
    return invalid(
        "meta.k8s.io", "PatchOptions", "",
        {required_value("fieldManager", "is required for apply patch")});
  if (!applied.is_object())
    return bad_request("the body of the request must be an object");
  const auto& type = info.type->name;
  auto version = text_at(applied, {"apiVersion"}, type.api_version());
  auto kind = text_at(applied, {"kind"}, type.kind);
  if (version != type.api_version() || kind != type.kind)
    // Prints like GroupVersionKind: "/v1, Kind=Pod".
    return bad_request(std::string("invalid object type: ")
                       + (version.find('/') == version.npos ? "/" : "")
                       + version + ", Kind=" + kind);
  if (!value_at(applied, {"metadata", "managedFields"}).is_null())
    return bad_request("metadata.managedFields must be nil");
  const auto& name = text_at(applied, {"metadata", "name"});
  if (!name.empty() && name != info.name)
    return info.name_mismatch_error(name);
  return std::nullopt;
}

/// Of an apply to /status only the status is used; of an apply to the object,
/// everything else.
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

/// Of a request whose verb was another one.
std::optional<status_error>
refuse_creation_under_enforced_policy(const server_state& state,
                                      const request_info& info) {
  const auto* policy = state.enforced_policy();
  return policy ? refuse_unless_creation_is_authorized(*policy, *info.request)
                : std::nullopt;
}

/// Of the merged object: what is wrong with the patch itself is told before, as
/// upstream.
std::optional<status_error> check_creation_by_apply(const server_state& state,
                                                    const request_info& info,
                                                    const json& object) {
  if (text_at(object, {"metadata", "name"}).empty())
    return bad_request("the name of the object (" + info.name
                       + " based on URL) was undeterminable: name must be "
                         "provided");
  return refuse_creation_under_enforced_policy(state, info);
}

/// Server-side apply: updates the object, or creates it. `old` and `stored`,
/// as in object_write, are null for one that does not exist.
status_or<write_result> apply_object(server_state& state,
                                     const request_info& info, json applied,
                                     stored_object_ptr old,
                                     stored_object_ptr stored) {
  if (auto error = check_apply_request(info, applied))
    return *error;
  if (old)
    applied["metadata"]["name"] = info.name;
  else // An object to be created has no resourceVersion yet.
    ensure_object(applied, "metadata").erase("resourceVersion");
  drop_fields_of_other_subresources(info, applied);
  auto w = make_object_write(state, info, std::move(applied), std::move(old),
                             std::move(stored));
  // Check the patch itself first; the merged object goes through the usual
  // write steps below.
  if (auto error = check_and_prune_fields(w))
    return *error;
  auto writer = make_field_writer(w);
  writer.force = is_query_flag_set(*info.request, "force");
  auto next = apply_configuration(
      find_schema(*info.type),
      w.old ? convert_builtin_to_served_version(*info.type, w.old->value())
            : json{},
      w.object, writer);
  if (!next)
    return next.error();
  w.object = std::move(*next);
  w.managed_fields_are_set = true;
  if (!w.old)
    if (auto error = check_creation_by_apply(state, info, w.object))
      return *error;
  return write_object(std::move(w));
}

} // namespace

status_or<write_result> create_object(server_state& state,
                                      const request_info& info, json body) {
  if (!info.name.empty() || (info.type->namespaced && info.ns.empty()))
    return info.method_not_allowed_error();
  return write_object(make_creation(state, info, std::move(body)));
}

status_or<write_result> update_object(server_state& state,
                                      const request_info& info, json body) {
  if (!is_update_path(info))
    return info.method_not_allowed_error();
  auto stored = state.objects.find(info.type->bucket, info.storage_key());
  // As upstream: an update with a resourceVersion never creates.
  if (!stored && info.type->allow_create_on_update && info.subresource.empty()
      && text_at(body, {"metadata", "resourceVersion"}).empty()) {
    if (auto error = refuse_creation_under_enforced_policy(state, info))
      return *error;
    return create_on_update(state, info, std::move(body));
  }
  if (!stored)
    return info.not_found_error();
  if (info.type->custom
      && text_at(body, {"metadata", "resourceVersion"}).empty())
    return invalid(info.type->name.group, info.type->name.plural, info.name,
                   {invalid_value("metadata.resourceVersion", 0,
                                  "must be specified for an update")});
  auto served = convert_custom_to_served_version(*info.type, stored);
  if (!served)
    return served.error();
  return write_object(make_object_write(state, info, std::move(body),
                                        std::move(*served), std::move(stored)));
}

status_or<write_result>
patch_object(server_state& state, const request_info& info, const json& body) {
  if (!is_update_path(info))
    return info.method_not_allowed_error();
  const auto& content_type = info.request->header("content-type");
  bool is_apply = content_type.find("apply-patch") != std::string::npos;
  auto stored = state.objects.find(info.type->bucket, info.storage_key());
  if (!stored && is_apply && info.subresource.empty())
    return apply_object(state, info, body, nullptr, nullptr);
  if (!stored)
    return info.not_found_error();
  auto served = convert_custom_to_served_version(*info.type, stored);
  if (!served)
    return served.error();
  auto& old = *served;
  if (is_apply)
    return apply_object(state, info, body, std::move(old), std::move(stored));
  auto next =
      apply_patch(convert_builtin_to_served_version(*info.type, old->value()),
                  body, content_type, !info.type->custom);
  if (!next)
    return next.error();
  return write_object(make_object_write(state, info, std::move(*next),
                                        std::move(old), std::move(stored)));
}

} // namespace troupe::k8s::apiserver
