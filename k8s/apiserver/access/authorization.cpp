#include "k8s/apiserver/access/authorization.hpp"

#include "k8s/apiserver/access/service_account_names.hpp"
#include "k8s/apiserver/resources/request_info.hpp"
#include "k8s/http/message_format.hpp"
#include "k8s/text.hpp"

#include <algorithm>

namespace troupe::k8s::apiserver {

namespace {

constexpr std::string_view header_prefix = "impersonate-";
constexpr std::string_view extra_prefix = "impersonate-extra-";

/// "metadata.name=x" among the terms of a field selector.
std::string metadata_name_in_field_selector(const http::request& r) {
  for (const auto& term :
       split_without_empty_parts(r.query_param("fieldSelector"), ',')) {
    std::string_view rest{term};
    if (remove_prefix(rest, "metadata.name=")) {
      remove_prefix(rest, "=");
      return std::string{rest};
    }
  }
  return "";
}

std::string authorization_verb(const http::request& r,
                               const std::string& name) {
  if (r.method == "POST")
    return "create";
  if (r.method == "PUT")
    return "update";
  if (r.method == "PATCH")
    return "patch";
  if (r.method == "DELETE")
    return name.empty() ? "deletecollection" : "delete";
  if (r.method != "GET" && r.method != "HEAD")
    return lower_case(r.method);
  // A watch of one object is a list with a field selector; what names an
  // object is answered with it, whatever else is asked.
  if (!name.empty())
    return "get";
  return is_query_flag_set(r, "watch") ? "watch" : "list";
}

/// "User "jane" cannot list resource "pods" in API group "" ...".
std::string describe_denial(const user_info& user,
                            const access_attributes& wanted) {
  auto out = "User " + to_quoted(user.name) + " cannot " + wanted.verb;
  if (!wanted.is_resource)
    return out + " path " + to_quoted(wanted.path);
  auto resource = wanted.subresource.empty()
                      ? wanted.resource
                      : wanted.resource + "/" + wanted.subresource;
  out += " resource " + to_quoted(resource) + " in API group "
         + to_quoted(wanted.api_group);
  return out
         + (wanted.ns.empty() ? " at the cluster scope"
                              : " in the namespace " + to_quoted(wanted.ns));
}

status_error forbidden_error(const user_info& user,
                             const access_attributes& wanted,
                             const std::string& reason) {
  auto why = describe_denial(user, wanted);
  if (!reason.empty())
    why += ": " + reason;
  if (!wanted.is_resource)
    return {403, "Forbidden", "forbidden: " + why, json::object()};
  auto error = forbidden(wanted.api_group, wanted.resource, wanted.name, why);
  if (wanted.name.empty())
    error.message =
        (wanted.api_group.empty() ? wanted.resource
                                  : wanted.resource + "." + wanted.api_group)
        + " is forbidden: " + why;
  return error;
}

std::optional<status_error>
refuse_unless_user_may(const rbac_policy& policy, const user_info& user,
                       const access_attributes& wanted) {
  auto decision = authorize_by_rbac(policy, user, wanted);
  if (decision.allowed)
    return std::nullopt;
  return forbidden_error(user, wanted, decision.reason());
}

access_attributes make_impersonate_attributes(std::string group,
                                              std::string resource,
                                              std::string name) {
  access_attributes out;
  out.verb = "impersonate";
  out.api_group = std::move(group);
  out.resource = std::move(resource);
  out.name = std::move(name);
  return out;
}

/// A service account is another resource than other users.
access_attributes make_impersonate_user_attributes(const std::string& name) {
  auto parts = split_without_empty_parts(name, ':');
  if (parts.size() != 4
      || name != service_account_user_name(parts[2], parts[3]))
    return make_impersonate_attributes("", "users", name);
  auto out = make_impersonate_attributes("", "serviceaccounts", parts[3]);
  out.ns = parts[2];
  return out;
}

/// The user whom the headers describe.
user_info read_impersonated_user(const http::request& r) {
  user_info out;
  out.name = r.header("impersonate-user");
  out.groups = http::split_header_list(r.header("impersonate-group"));
  out.uid = r.header("impersonate-uid");
  for (auto i = r.headers.lower_bound(std::string{extra_prefix});
       i != r.headers.end()
       && i->first.compare(0, extra_prefix.size(), extra_prefix) == 0;
       ++i)
    out.extra[i->first.substr(extra_prefix.size())] =
        http::split_header_list(i->second);
  return out;
}

std::vector<access_attributes>
access_needed_to_impersonate(const user_info& user) {
  std::vector<access_attributes> out{
      make_impersonate_user_attributes(user.name)};
  for (const auto& group : user.groups)
    out.push_back(make_impersonate_attributes("", "groups", group));
  if (!user.uid.empty())
    out.push_back(
        make_impersonate_attributes("authentication.k8s.io", "uids", user.uid));
  for (const auto& [key, values] : user.extra)
    for (const auto& value : values) {
      out.push_back(make_impersonate_attributes("authentication.k8s.io",
                                                "userextras", value));
      out.back().subresource = key;
    }
  return out;
}

/// What is asked for beside a user, as Go prints its object references: kind,
/// namespace, name, UID, apiVersion, resourceVersion and fieldPath.
std::vector<std::string>
format_impersonated_groups_extra_and_uid(const user_info& user) {
  const std::string api_version = "  authentication.k8s.io/v1  ";
  std::vector<std::string> out;
  for (const auto& group : user.groups)
    out.push_back("{Group  " + group + "    }");
  for (const auto& [key, values] : user.extra)
    for (const auto& value : values)
      out.push_back("{UserExtra  " + value + api_version + key + "}");
  if (!user.uid.empty())
    out.push_back("{UID  " + user.uid + api_version + "}");
  return out;
}

/// What authentication would have added.
void add_authentication_groups(user_info& user) {
  auto account = make_impersonate_user_attributes(user.name);
  if (user.groups.empty() && !account.ns.empty())
    user.groups = service_account_groups(account.ns);
  const std::string implied = user.name == "system:anonymous"
                                  ? "system:unauthenticated"
                                  : "system:authenticated";
  auto& all = user.groups;
  if (std::find(all.begin(), all.end(), implied) == all.end())
    all.push_back(implied);
}

} // namespace

// /api/v1/... or /apis/group/version/..., then
// [namespaces/ns/]plural[/name[/sub]]. A namespace is an object in itself.
access_attributes parse_access_attributes(const http::request& r) {
  access_attributes out;
  out.path = r.path;
  auto p = split_without_empty_parts(r.path, '/');
  bool is_core = p.size() >= 3 && p[0] == "api";
  bool is_group = p.size() >= 4 && p[0] == "apis";
  if (!is_core && !is_group) {
    out.is_resource = false;
    out.verb = lower_case(r.method);
    return out;
  }
  if (is_group)
    out.api_group = p[1];
  std::size_t at = is_core ? 2 : 3;
  if (p[at] == "namespaces" && p.size() > at + 1) {
    out.ns = p[at + 1];
    if (p.size() > at + 2 && p[at + 2] != "status" && p[at + 2] != "finalize")
      at += 2;
  }
  out.resource = p[at];
  if (p.size() > at + 1)
    out.name = p[at + 1];
  if (p.size() > at + 2)
    out.subresource = p[at + 2];
  out.verb = authorization_verb(r, out.name);
  if (out.name.empty() && (out.verb == "list" || out.verb == "watch"))
    out.name = metadata_name_in_field_selector(r);
  return out;
}

access_decision
allow_without_policy_or_decide(const rbac_policy* policy, const user_info& user,
                               const access_attributes& wanted) {
  if (policy)
    return authorize_by_rbac(*policy, user, wanted);
  access_decision out;
  out.allowed = true;
  return out;
}

std::optional<status_error> refuse_unless_authorized(const rbac_policy& policy,
                                                     const http::request& r) {
  if (!r.user)
    return std::nullopt;
  return refuse_unless_user_may(policy, *r.user, parse_access_attributes(r));
}

std::optional<status_error>
refuse_unless_creation_is_authorized(const rbac_policy& policy,
                                     const http::request& r) {
  if (!r.user)
    return std::nullopt;
  auto wanted = parse_access_attributes(r);
  wanted.verb = "create";
  return refuse_unless_user_may(policy, *r.user, wanted);
}

bool is_impersonation_requested(const http::request& r) {
  auto i = r.headers.lower_bound(std::string{header_prefix});
  return r.user && i != r.headers.end()
         && i->first.compare(0, header_prefix.size(), header_prefix) == 0;
}

status_or<http::request>
check_and_set_impersonated_user(const rbac_policy* policy,
                                const http::request& r) {
  auto as = read_impersonated_user(r);
  if (as.name.empty())
    return bad_request(
        "requested [" + join(format_impersonated_groups_extra_and_uid(as), " ")
        + "] without impersonating a user; set Impersonate-User");
  if (policy)
    for (const auto& wanted : access_needed_to_impersonate(as))
      if (auto error = refuse_unless_user_may(*policy, *r.user, wanted))
        return *error;
  add_authentication_groups(as);
  auto out = r;
  out.user = std::make_shared<const user_info>(std::move(as));
  return out;
}

} // namespace troupe::k8s::apiserver
