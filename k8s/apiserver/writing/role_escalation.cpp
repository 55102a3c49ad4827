#include "k8s/apiserver/writing/role_escalation.hpp"

#include "k8s/apiserver/access/authorization.hpp"
#include "k8s/text.hpp"

#include <algorithm>

namespace troupe::k8s::apiserver {

namespace {

constexpr const char* rbac_group = "rbac.authorization.k8s.io";

access_attributes role_access_attributes(const char* verb,
                                         const std::string& kind,
                                         const std::string& ns,
                                         const std::string& name) {
  access_attributes out;
  out.verb = verb;
  out.api_group = rbac_group;
  out.resource = kind == "ClusterRole" ? "clusterroles" : "roles";
  out.ns = ns;
  out.name = name;
  return out;
}

std::string describe_user(const user_info& user) {
  auto out = "user " + to_quoted(user.name) + " (groups=[";
  for (const auto& group : user.groups)
    out += (&group == user.groups.data() ? "" : " ") + to_quoted(group);
  return out + "])";
}

/// What is wrong with granting the rules in a namespace; "" if nothing is.
std::string
find_missing_permissions_error(const server_state& state, const user_info& user,
                               const std::string& ns,
                               const std::vector<policy_rule>& rules) {
  std::vector<std::string> errors;
  auto owned = rules_granted_to(state.policy, user, ns, errors);
  auto missing = rules_not_covered(owned, rules);
  if (missing.empty())
    return "";
  auto out = describe_user(user)
             + " is attempting to grant RBAC permissions not currently held:";
  for (const auto& rule : missing)
    out += "\n" + to_compact_text(rule);
  if (!errors.empty())
    out += "; resolution errors: [" + join(errors, ", ") + "]";
  return out;
}

std::string find_role_escalation_error(const object_write& w,
                                       const user_info& user) {
  const json* old = w.old ? &w.old->value() : nullptr;
  const auto& kind = w.info.type->name.kind;
  if (old && value_at(*old, {"rules"}) == value_at(w.object, {"rules"})
      && value_at(*old, {"aggregationRule"})
             == value_at(w.object, {"aggregationRule"}))
    return "";
  const auto& name = text_at(w.object, {"metadata", "name"});
  auto wanted = role_access_attributes("escalate", kind, w.info.ns, name);
  if (authorize_by_rbac(w.state.policy, user, wanted).allowed)
    return "";
  const auto& aggregation = value_at(w.object, {"aggregationRule"});
  if (aggregation.is_object()
      && !find_missing_permissions_error(w.state, user, w.info.ns,
                                         cluster_admin_rules())
              .empty())
    return "must have cluster-admin privileges to use an aggregationRule";
  return find_missing_permissions_error(w.state, user, w.info.ns,
                                        read_policy_rules(w.object));
}

std::string find_binding_escalation_error(const object_write& w,
                                          const user_info& user) {
  if (w.old
      && value_at(w.old->value(), {"subjects"})
             == value_at(w.object, {"subjects"})
      && value_at(w.old->value(), {"roleRef"})
             == value_at(w.object, {"roleRef"}))
    return "";
  auto b = read_role_binding(w.object);
  auto wanted =
      role_access_attributes("bind", b.role_kind, w.info.ns, b.role_name);
  if (authorize_by_rbac(w.state.policy, user, wanted).allowed)
    return "";
  const auto* rules =
      w.state.policy.find_role(b.role_kind, w.info.ns, b.role_name);
  if (!rules)
    return lower_case(b.role_kind) + "." + rbac_group + " \"" + b.role_name
           + "\" not found";
  return find_missing_permissions_error(w.state, user, w.info.ns, *rules);
}

} // namespace

std::optional<status_error> refuse_role_escalation(const object_write& w) {
  const auto& user = w.info.request->user;
  const auto& type = w.info.type->name;
  if (type.group != rbac_group || !user || !w.state.enforced_policy())
    return std::nullopt;
  bool is_role = type.plural == "roles" || type.plural == "clusterroles";
  auto why = is_role ? find_role_escalation_error(w, *user)
                     : find_binding_escalation_error(w, *user);
  if (why.empty())
    return std::nullopt;
  return forbidden(type.group, type.plural,
                   text_at(w.object, {"metadata", "name"}), why);
}

} // namespace troupe::k8s::apiserver
