#include "k8s/apiserver/write_validation.hpp"

#include "k8s/apiserver/metadata.hpp"

namespace troupe::k8s::apiserver {

namespace {

void check_name(const json& object, causes& out) {
  const auto& name = text_at(object, {"metadata", "name"});
  const auto& kind = text_at(object, {"kind"});
  if (name.empty())
    out.push_back(
        required("metadata.name", "name or generateName is required"));
  else if (kind == "Service" || kind.find("Role") != kind.npos)
    return; // Has a rule of its own, or nearly none.
  else if (auto why = subdomain_fault(name); !why.empty())
    out.push_back(wrong_value("metadata.name", name, why));
}

} // namespace

std::optional<status_error> prepare_metadata(const call& c, json& body) {
  if (!body.is_object())
    return bad_request("the body of the request must be an object");
  const auto& type = c.type->name;
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
  if (!ns.empty() && ns != c.ns)
    return bad_request("the namespace of the provided object does not match "
                       "the namespace sent on the request");
  if (c.type->namespaced)
    meta["namespace"] = c.ns;
  else
    meta.erase("namespace");
  for (auto i = meta.begin(); i != meta.end();)
    i = i->is_null() || i.key() == "managedFields" || i.key() == "selfLink"
            ? meta.erase(i)
            : std::next(i);
  return std::nullopt;
}

std::optional<status_error>
prune_and_default(const call& c, json& body,
                  std::vector<std::string>& warnings) {
  if (!c.type->shape)
    return std::nullopt;
  std::vector<std::string> removed;
  prune(*c.type->shape, body, removed);
  std::string unknown;
  for (const auto& path : removed)
    unknown +=
        (unknown.empty() ? "" : ", ") + ("unknown field \"" + path + "\"");
  auto wanted = c.param("fieldValidation");
  if (!unknown.empty() && wanted == "Strict")
    return bad_request(c.type->name.kind + " in version \""
                       + c.type->name.version + "\" cannot be handled as a "
                       + c.type->name.kind
                       + ": strict decoding error: " + unknown);
  if (wanted != "Ignore")
    for (const auto& path : removed)
      warnings.push_back("unknown field \"" + path + "\"");
  apply_defaults(*c.type->shape, body);
  return std::nullopt;
}

std::optional<status_error> check_namespace(server_state& w, const call& c,
                                            const std::string& name) {
  if (c.ns.empty())
    return std::nullopt;
  auto ns = w.objects.find("namespaces", key_of("", c.ns));
  if (!ns)
    return not_found("", "namespaces", c.ns);
  if (!is_terminating(ns->value))
    return std::nullopt;
  auto r = forbidden(c.type->name.group, c.type->name.plural, name,
                     "unable to create new content in namespace " + c.ns
                         + " because it is being terminated");
  r.details["causes"] =
      json::array({{{"reason", "NamespaceTerminating"},
                    {"message", "namespace " + c.ns + " is being terminated"},
                    {"field", "metadata.namespace"}}});
  return r;
}

void check_object(const call& c, const json& object, const json* old,
                  causes& out) {
  if (!old)
    check_name(object, out);
  check_metadata(object, out);
  const auto& rules = c.type->strategy;
  if (c.type->shape)
    validate(*c.type->shape, object, old, "", out);
  if (rules.check)
    for (auto& x : rules.check(object))
      out.push_back(std::move(x));
  if (old && rules.check_update)
    for (auto& x : rules.check_update(object, *old))
      out.push_back(std::move(x));
}

std::optional<status_error> admit(server_state& w, const call& c,
                                  const json& object, const json* old) {
  auto j = w.validators.find(c.type->bucket);
  if (j == w.validators.end())
    return std::nullopt;
  auto why = j->second(object, old);
  if (!why)
    return std::nullopt;
  return status_error{403, "Forbidden", *why, json::object()};
}

} // namespace troupe::k8s::apiserver
