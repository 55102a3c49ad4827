#include "k8s/apiserver/access/rbac_authorizer.hpp"

#include "k8s/apiserver/access/service_account_names.hpp"
#include "k8s/text.hpp"

#include <algorithm>

namespace troupe::k8s::apiserver {

namespace {

using texts = std::vector<std::string>;

constexpr const char* masters = "system:masters";

bool contains_text(const texts& all, std::string_view one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

std::string grant_key(const std::string& ns, std::string_view kind,
                      const std::string& name) {
  std::string out;
  out.reserve(ns.size() + kind.size() + name.size() + 2);
  out.append(ns).append(1, '\n').append(kind).append(1, '\n').append(name);
  return out;
}

/// Service accounts are users of a certain name.
std::string grant_key(const role_binding& b, const role_binding::subject& s) {
  if (s.kind == "ServiceAccount")
    return grant_key(
        b.ns, "User",
        service_account_user_name(s.ns.empty() ? b.ns : s.ns, s.name));
  return grant_key(b.ns, s.kind, s.name);
}

/// Calls `use` for everything that is bound to the user, the whole cluster's
/// first, until it returns false.
template <class F>
void for_each_grant(const rbac_policy& policy, const user_info& user,
                    const std::string& ns, F use) {
  auto visit = [&](const std::string& where, const char* kind,
                   const std::string& name) {
    const auto* all = policy.find_grants(where, kind, name);
    return !all || std::all_of(all->begin(), all->end(), use);
  };
  auto visit_all = [&](const std::string& where) {
    return visit(where, "User", user.name)
           && std::all_of(
               user.groups.begin(), user.groups.end(),
               [&](const auto& group) { return visit(where, "Group", group); });
  };
  if (visit_all("") && !ns.empty())
    visit_all(ns);
}

std::string missing_role_error(const role_binding& b) {
  return lower_case(b.role_kind) + ".rbac.authorization.k8s.io \"" + b.role_name
         + "\" not found";
}

std::string describe_subject(const role_binding::subject& s) {
  return s.kind + " "
         + to_quoted(s.kind == "ServiceAccount" ? s.name + "/" + s.ns : s.name);
}

std::string describe_binding(const role_binding& b) {
  return (b.ns.empty() ? "ClusterRoleBinding " + to_quoted(b.name)
                       : "RoleBinding " + to_quoted(b.name + "/" + b.ns))
         + " of " + b.role_kind + " " + to_quoted(b.role_name);
}

} // namespace

role_binding read_role_binding(const json& object) {
  role_binding out;
  out.ns = text_at(object, {"metadata", "namespace"});
  out.name = text_at(object, {"metadata", "name"});
  out.role_kind = text_at(object, {"roleRef", "kind"});
  out.role_name = text_at(object, {"roleRef", "name"});
  for (const auto& s : array_at(object, {"subjects"}))
    out.subjects.push_back({text_at(s, {"kind"}), text_at(s, {"name"}),
                            text_at(s, {"namespace"})});
  return out;
}

void rbac_policy::put_role(const std::string& ns, const std::string& name,
                           std::vector<policy_rule> rules) {
  roles_[{ns, name}] = std::move(rules);
}

void rbac_policy::remove_role(const std::string& ns, const std::string& name) {
  roles_.erase({ns, name});
}

void rbac_policy::put_binding(role_binding b) {
  remove_binding(b.ns, b.name);
  auto kept = std::make_shared<const role_binding>(std::move(b));
  for (std::size_t i = 0; i < kept->subjects.size(); ++i)
    grants_[grant_key(*kept, kept->subjects[i])].push_back({kept, i});
  bindings_[{kept->ns, kept->name}] = std::move(kept);
}

void rbac_policy::remove_binding(const std::string& ns,
                                 const std::string& name) {
  auto old = bindings_.find({ns, name});
  if (old == bindings_.end())
    return;
  for (const auto& s : old->second->subjects) {
    auto at = grants_.find(grant_key(*old->second, s));
    if (at == grants_.end())
      continue;
    auto& all = at->second;
    all.erase(
        std::remove_if(all.begin(), all.end(),
                       [&](const auto& g) { return g.binding == old->second; }),
        all.end());
    if (all.empty())
      grants_.erase(at);
  }
  bindings_.erase(old);
}

const std::vector<policy_rule>*
rbac_policy::find_role(const std::string& kind, const std::string& ns,
                       const std::string& name) const {
  auto i = roles_.find({kind == "ClusterRole" ? "" : ns, name});
  // A ClusterRoleBinding cannot refer to a Role.
  if (i == roles_.end() || (kind != "ClusterRole" && ns.empty()))
    return nullptr;
  return &i->second;
}

const std::vector<rbac_policy::granted>*
rbac_policy::find_grants(const std::string& ns, const char* kind,
                         const std::string& name) const {
  auto i = grants_.find(grant_key(ns, kind, name));
  return i == grants_.end() ? nullptr : &i->second;
}

std::string access_decision::reason() const {
  if (by.binding)
    return "RBAC: allowed by " + describe_binding(*by.binding) + " to "
           + describe_subject(by.binding->subjects[by.subject]);
  if (allowed || errors.empty())
    return "";
  auto all = join(errors, ", ");
  return "RBAC: " + (errors.size() > 1 ? "[" + all + "]" : all);
}

access_decision authorize_by_rbac(const rbac_policy& policy,
                                  const user_info& user,
                                  const access_attributes& wanted) {
  access_decision out;
  out.allowed = contains_text(user.groups, masters);
  if (out.allowed)
    return out;
  for_each_grant(
      policy, user, wanted.ns, [&](const rbac_policy::granted& grant) {
        const auto& b = *grant.binding;
        const auto* rules = policy.find_role(b.role_kind, b.ns, b.role_name);
        if (!rules) {
          auto error = missing_role_error(b);
          if (!contains_text(out.errors, error))
            out.errors.push_back(std::move(error));
          return true;
        }
        out.allowed =
            std::any_of(rules->begin(), rules->end(), [&](const auto& rule) {
              return rule_allows(rule, wanted);
            });
        if (out.allowed)
          out.by = grant;
        return !out.allowed;
      });
  return out;
}

std::vector<policy_rule> rules_granted_to(const rbac_policy& policy,
                                          const user_info& user,
                                          const std::string& ns,
                                          std::vector<std::string>& errors) {
  std::vector<policy_rule> out;
  if (contains_text(user.groups, masters))
    out = cluster_admin_rules();
  for_each_grant(policy, user, ns, [&](const rbac_policy::granted& grant) {
    const auto& b = *grant.binding;
    if (const auto* rules = policy.find_role(b.role_kind, b.ns, b.role_name))
      out.insert(out.end(), rules->begin(), rules->end());
    else
      errors.push_back(missing_role_error(b));
    return true;
  });
  return out;
}

} // namespace troupe::k8s::apiserver
