#include "k8s/apiserver/authorization.hpp"

#include "k8s/apiserver/request_info.hpp"
#include "k8s/apiserver/service_account_tokens.hpp"
#include "k8s/text.hpp"

#include <algorithm>

namespace troupe::k8s::apiserver {

namespace {

constexpr std::string_view header_prefix = "impersonate-";
constexpr std::string_view extra_prefix = "impersonate-extra-";

std::string quote_for_message(const std::string& text) {
  std::string out;
  append_quoted(out, text);
  return out;
}

/// "metadata.name=x" among the terms of a field selector.
std::string selected_name(const http::request& r) {
  for (const auto& term : split(r.param("fieldSelector"), ',')) {
    std::string_view rest{term};
    if (remove_prefix(rest, "metadata.name=")) {
      remove_prefix(rest, "=");
      return std::string{rest};
    }
  }
  return "";
}

std::string verb_of(const http::request& r, const std::string& name) {
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
  if (is_query_flag_set(r, "watch"))
    return "watch";
  return name.empty() ? "list" : "get";
}

status_error denial(const user_info& user, const access_attributes& wanted,
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

std::optional<status_error> check_access(const server_state& state,
                                         const user_info& user,
                                         const access_attributes& wanted) {
  auto decision = decide_access(state, user, wanted);
  if (decision.allowed)
    return std::nullopt;
  return denial(user, wanted, decision.reason());
}

access_attributes impersonation_of(std::string group, std::string resource,
                                   std::string name) {
  access_attributes out;
  out.verb = "impersonate";
  out.api_group = std::move(group);
  out.resource = std::move(resource);
  out.name = std::move(name);
  return out;
}

/// A service account is another resource than other users.
access_attributes impersonation_of_user(const std::string& name) {
  auto parts = split(name, ':');
  if (parts.size() != 4
      || name != service_account_user_name(parts[2], parts[3]))
    return impersonation_of("", "users", name);
  auto out = impersonation_of("", "serviceaccounts", parts[3]);
  out.ns = parts[2];
  return out;
}

std::string header_value(const http::request& r, const char* name) {
  auto i = r.headers.find(name);
  return i == r.headers.end() ? "" : i->second;
}

/// The values of a header that is there once or more often.
std::vector<std::string> header_values(const std::string& text) {
  auto all = split(text, ',');
  for (auto& one : all)
    one.erase(0, one.find_first_not_of(' '));
  return all;
}

/// The user whom the headers describe.
user_info read_impersonated_user(const http::request& r) {
  user_info out;
  out.name = header_value(r, "impersonate-user");
  out.groups = header_values(header_value(r, "impersonate-group"));
  out.uid = header_value(r, "impersonate-uid");
  for (auto i = r.headers.lower_bound(std::string{extra_prefix});
       i != r.headers.end()
       && i->first.compare(0, extra_prefix.size(), extra_prefix) == 0;
       ++i)
    out.extra[i->first.substr(extra_prefix.size())] = header_values(i->second);
  return out;
}

std::vector<access_attributes> impersonations_of(const user_info& user) {
  std::vector<access_attributes> out{impersonation_of_user(user.name)};
  for (const auto& group : user.groups)
    out.push_back(impersonation_of("", "groups", group));
  if (!user.uid.empty())
    out.push_back(impersonation_of("authentication.k8s.io", "uids", user.uid));
  for (const auto& [key, values] : user.extra)
    for (const auto& value : values) {
      out.push_back(
          impersonation_of("authentication.k8s.io", "userextras", value));
      out.back().subresource = key;
    }
  return out;
}

/// What authentication would have added.
void add_implied_groups(user_info& user) {
  auto account = impersonation_of_user(user.name);
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
access_attributes read_access_attributes(const http::request& r) {
  access_attributes out;
  out.path = r.path;
  auto p = split(r.path, '/');
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
  out.verb = verb_of(r, out.name);
  if (out.name.empty() && (out.verb == "list" || out.verb == "watch"))
    out.name = selected_name(r);
  return out;
}

access_decision decide_access(const server_state& state, const user_info& user,
                              const access_attributes& wanted) {
  if (state.environment.authorization == authorization_mode::rbac)
    return authorize(state.policy, user, wanted);
  access_decision out;
  out.allowed = true;
  return out;
}

std::string describe_denial(const user_info& user,
                            const access_attributes& wanted) {
  auto out = "User " + quote_for_message(user.name) + " cannot " + wanted.verb;
  if (!wanted.is_resource)
    return out + " path " + quote_for_message(wanted.path);
  auto resource = wanted.subresource.empty()
                      ? wanted.resource
                      : wanted.resource + "/" + wanted.subresource;
  out += " resource " + quote_for_message(resource) + " in API group "
         + quote_for_message(wanted.api_group);
  return out
         + (wanted.ns.empty()
                ? " at the cluster scope"
                : " in the namespace " + quote_for_message(wanted.ns));
}

std::optional<status_error> check_authorization(const server_state& state,
                                                const http::request& r) {
  if (!r.user || state.environment.authorization != authorization_mode::rbac)
    return std::nullopt;
  return check_access(state, *r.user, read_access_attributes(r));
}

std::optional<status_error> check_right_to_create(const server_state& state,
                                                  const http::request& r) {
  if (!r.user)
    return std::nullopt;
  auto wanted = read_access_attributes(r);
  wanted.verb = "create";
  return check_access(state, *r.user, wanted);
}

bool wants_impersonation(const http::request& r) {
  auto i = r.headers.lower_bound(std::string{header_prefix});
  return r.user && i != r.headers.end()
         && i->first.compare(0, header_prefix.size(), header_prefix) == 0;
}

status_or<http::request> impersonate(const server_state& state,
                                     const http::request& r) {
  auto as = read_impersonated_user(r);
  if (as.name.empty())
    return bad_request("the headers of the request name groups, a UID or "
                       "others of a user to impersonate, and no user "
                       "(Impersonate-User)");
  for (const auto& wanted : impersonations_of(as)) {
    if (auto error = check_access(state, *r.user, wanted))
      return *error;
  }
  add_implied_groups(as);
  auto out = r;
  out.user = std::make_shared<const user_info>(std::move(as));
  return out;
}

} // namespace troupe::k8s::apiserver
