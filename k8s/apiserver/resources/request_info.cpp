#include "k8s/apiserver/resources/request_info.hpp"

#include "k8s/apiserver/storage/store.hpp"
#include "k8s/text.hpp"

#include <algorithm>

namespace troupe::k8s::apiserver {

std::string request_info::storage_key() const {
  return apiserver::storage_key(ns, name);
}

std::string request_info::field_manager_or_user_agent() const {
  auto out = query_param("fieldManager");
  const auto& agent = request->header("user-agent");
  if (out.empty())
    out = agent.substr(0, std::min<std::size_t>(agent.find('/'), 128));
  return out.empty() ? "unknown" : out;
}

status_error request_info::not_found_error() const {
  return not_found(type->name.group, type->name.plural, name);
}

status_error
request_info::name_mismatch_error(const std::string& name_in_body) const {
  return bad_request("the name of the object (" + name_in_body
                     + ") does not match the name on the URL (" + name + ")");
}

status_error request_info::method_not_allowed_error() const {
  auto out = method_not_allowed();
  if (!type->custom || subresource.empty())
    return out;
  const auto& method = request->method;
  auto verb = method == "POST"     ? "create"
              : method == "PUT"    ? "update"
              : method == "DELETE" ? "delete"
                                   : "patch";
  out.message = std::string(verb) + " is not supported on resources of kind \""
                + type->name.plural + "." + type->name.group + "\"";
  out.details = {{"group", type->name.group}, {"kind", type->name.plural}};
  return out;
}

bool is_subresource_served(const request_info& info) {
  const auto& sub = info.subresource;
  if (info.type->bucket == "pods"
      && is_one_of(
          sub, {"attach", "binding", "eviction", "exec", "log", "portforward"}))
    return true;
  if (info.type->bucket == "serviceaccounts" && sub == "token")
    return true;
  return sub.empty() || (sub == "status" && info.type->has_status)
         || (sub == "scale" && info.type->has_scale)
         || (sub == "finalize" && info.type->bucket == "namespaces");
}

bool is_query_flag_set(const http::request& r, const char* param) {
  auto value = r.query_param(param);
  return value == "true" || value == "1" || value == "True";
}

// /api/v1/... or /apis/group/version/..., then
// [namespaces/ns/]plural[/name[/sub]]. A namespace is itself an object, so
// "namespaces/x" and "namespaces/x/status" are about it.
status_or<request_info> parse_request_info(const resource_registry& c,
                                           const http::request& r) {
  auto p = split_without_empty_parts(r.path, '/');
  std::size_t at = 0;
  std::string group, version;
  if (p.size() >= 3 && p[0] == "api") {
    version = p[1];
    at = 2;
  } else if (p.size() >= 4 && p[0] == "apis") {
    group = p[1];
    version = p[2];
    at = 3;
  } else {
    return path_not_found();
  }
  request_info out;
  out.request = &r;
  auto left = p.size() - at;
  if (p[at] == "namespaces" && left >= 3 && p[at + 2] != "status"
      && p[at + 2] != "finalize") {
    out.ns = p[at + 1];
    at += 2;
    left -= 2;
  }
  out.type = c.find(group, version, p[at]);
  if (!out.type || left > 3 || (!out.ns.empty() && !out.type->namespaced))
    return path_not_found();
  if (left > 1)
    out.name = p[at + 1];
  if (left > 2)
    out.subresource = p[at + 2];
  if (!out.name.empty() && out.type->namespaced && out.ns.empty())
    return path_not_found();
  return out;
}

} // namespace troupe::k8s::apiserver
