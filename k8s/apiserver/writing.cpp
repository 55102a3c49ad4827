#include "k8s/apiserver/writing.hpp"

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
  if (auto error = validate(w))
    return error;
  if (auto error = check_role_escalation(w))
    return error;
  return admit(w);
}

/// Every write takes the same five steps.
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
         && (sub.empty() || (sub == "status" && info.type->has_status)
             || (sub == "scale" && info.type->has_scale)
             || (sub == "finalize" && info.type->bucket == "namespaces"));
}

} // namespace

status_or<write_result> create_object(server_state& state,
                                      const request_info& info, json body) {
  if (!info.name.empty() || (info.type->namespaced && info.ns.empty()))
    return method_not_allowed();
  return write_object({state, info, std::move(body), nullptr, nullptr, {}});
}

status_or<write_result> update_object(server_state& state,
                                      const request_info& info, json body) {
  if (!is_updatable(info))
    return method_not_allowed();
  auto old = state.objects.find(info.type->bucket, info.storage_key());
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
    return method_not_allowed();
  auto old = state.objects.find(info.type->bucket, info.storage_key());
  if (!old)
    return info.not_found_error();
  auto type = info.request->headers.find("content-type");
  auto served = in_served_version(*info.type, old);
  if (auto* error = error_in(served))
    return *error;
  auto& seen = std::get<stored_object_ptr>(served);
  auto next =
      apply_patch(info.type->from_storage
                      ? convert_to_served_version(*info.type, seen->value)
                      : seen->value,
                  body, type == info.request->headers.end() ? "" : type->second,
                  !info.type->custom);
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
