#include "k8s/apiserver/write_validation.hpp"

#include "k8s/apiserver/object_metadata.hpp"

namespace troupe::k8s::apiserver {

namespace {

void check_name(const json& object, field_errors& out) {
  const auto& name = text_at(object, {"metadata", "name"});
  const auto& kind = text_at(object, {"kind"});
  if (name.empty())
    out.push_back(
        required_value("metadata.name", "name or generateName is required"));
  else if (kind == "Service" || kind.find("Role") != kind.npos)
    return; // Has a rule of its own, or nearly none.
  else if (auto why = dns1123_subdomain_error(name); !why.empty())
    out.push_back(invalid_value("metadata.name", name, why));
}

} // namespace

std::optional<status_error> prepare_metadata(const request_info& info,
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
  auto& meta = section(body, "metadata");
  const auto& ns = text_at(meta, {"namespace"});
  if (!ns.empty() && ns != info.ns)
    return bad_request("the namespace of the provided object does not match "
                       "the namespace sent on the request");
  if (info.type->namespaced)
    meta["namespace"] = info.ns;
  else
    meta.erase("namespace");
  for (auto i = meta.begin(); i != meta.end();)
    i = i->is_null() || i.key() == "managedFields" || i.key() == "selfLink"
            ? meta.erase(i)
            : std::next(i);
  return std::nullopt;
}

std::optional<status_error>
prune_and_default(const request_info& info, json& body,
                  std::vector<std::string>& warnings) {
  if (!info.type->validation_schema)
    return std::nullopt;
  std::vector<std::string> removed;
  prune_unknown_fields(*info.type->validation_schema, body, removed);
  std::string unknown;
  for (const auto& path : removed)
    unknown +=
        (unknown.empty() ? "" : ", ") + ("unknown field \"" + path + "\"");
  auto wanted = info.param("fieldValidation");
  if (!unknown.empty() && wanted == "Strict")
    return bad_request(info.type->name.kind + " in version \""
                       + info.type->name.version + "\" cannot be handled as a "
                       + info.type->name.kind
                       + ": strict decoding error: " + unknown);
  if (wanted != "Ignore")
    for (const auto& path : removed)
      warnings.push_back("unknown field \"" + path + "\"");
  apply_defaults(*info.type->validation_schema, body);
  return std::nullopt;
}

std::optional<status_error> check_namespace(server_state& state,
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

void check_object(const request_info& info, const json& object, const json* old,
                  field_errors& out) {
  if (!old)
    check_name(object, out);
  validate_metadata(object, out);
  const auto& rules = info.type->strategy;
  if (info.type->validation_schema)
    validate(*info.type->validation_schema, object, old, "", out);
  if (rules.validate)
    for (auto& x : rules.validate(object))
      out.push_back(std::move(x));
  if (old && rules.validate_update)
    for (auto& x : rules.validate_update(object, *old))
      out.push_back(std::move(x));
}

std::optional<status_error> admit(server_state& state, const request_info& info,
                                  const json& object, const json* old) {
  auto j = state.admission_validators.find(info.type->bucket);
  if (j == state.admission_validators.end())
    return std::nullopt;
  auto why = j->second(object, old);
  if (!why)
    return std::nullopt;
  return status_error{403, "Forbidden", *why, json::object()};
}

} // namespace troupe::k8s::apiserver
