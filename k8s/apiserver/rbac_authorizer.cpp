#include "k8s/apiserver/rbac_authorizer.hpp"

#include "k8s/text.hpp"

#include <algorithm>

namespace troupe::k8s::apiserver {

namespace {

using texts = std::vector<std::string>;

constexpr const char* everything = "*";
constexpr const char* masters = "system:masters";
constexpr const char* service_account_prefix = "system:serviceaccount:";

bool contains(const texts& all, std::string_view one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

bool contains_or_all(const texts& all, std::string_view one) {
  return contains(all, everything) || contains(all, one);
}

bool matches_resource(const texts& all, const access_attributes& wanted) {
  const auto& sub = wanted.subresource;
  return std::any_of(all.begin(), all.end(), [&](const std::string& one) {
    if (one == everything)
      return true;
    if (sub.empty())
      return one == wanted.resource;
    auto slash = one.find('/');
    if (slash == one.npos || one.compare(slash + 1, one.npos, sub) != 0)
      return false;
    std::string_view parent{one.data(), slash};
    return parent == everything || parent == wanted.resource;
  });
}

bool matches_url(const texts& all, const std::string& path) {
  return std::any_of(all.begin(), all.end(), [&](const std::string& one) {
    if (one == everything || one == path)
      return true;
    return !one.empty() && one.back() == '*'
           && path.compare(0, one.size() - 1, one, 0, one.size() - 1) == 0;
  });
}

texts texts_at(const json& object, const char* key) {
  texts out;
  for (const auto& one : array_at(object, {key}))
    if (one.is_string())
      out.push_back(one);
  return out;
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
    return grant_key(b.ns, "User",
                     service_account_prefix + (s.ns.empty() ? b.ns : s.ns) + ":"
                         + s.name);
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

std::string in_quotes(const std::string& text) {
  std::string out;
  append_quoted(out, text);
  return out;
}

std::string describe(const role_binding::subject& s) {
  return s.kind + " "
         + in_quotes(s.kind == "ServiceAccount" ? s.name + "/" + s.ns : s.name);
}

std::string describe(const role_binding& b) {
  return (b.ns.empty() ? "ClusterRoleBinding " + in_quotes(b.name)
                       : "RoleBinding " + in_quotes(b.name + "/" + b.ns))
         + " of " + b.role_kind + " " + in_quotes(b.role_name);
}

policy_rule everything_rule() {
  return {{everything}, {everything}, {everything}, {}, {}};
}

/// A rule in rules of one thing each.
void append_simple_rules(const policy_rule& rule,
                         std::vector<policy_rule>& out) {
  auto names = rule.resource_names;
  if (names.empty())
    names.emplace_back();
  for (const auto& verb : rule.verbs) {
    for (const auto& group : rule.api_groups)
      for (const auto& resource : rule.resources)
        for (const auto& name : names)
          out.push_back({{verb},
                         {group},
                         {resource},
                         name.empty() ? texts{} : texts{name},
                         {}});
    for (const auto& url : rule.non_resource_urls)
      out.push_back({{verb}, {}, {}, {}, {url}});
  }
}

bool covers_resource(const texts& owned, const std::string& wanted) {
  if (contains_or_all(owned, wanted))
    return true;
  auto slash = wanted.find('/');
  return slash != wanted.npos && contains(owned, "*" + wanted.substr(slash));
}

bool covers_url(const texts& owned, const std::string& wanted) {
  return matches_url(owned, wanted);
}

/// Whether one rule allows all that a simple one does.
bool covers(const policy_rule& owned, const policy_rule& wanted) {
  if (!contains_or_all(owned.verbs, wanted.verbs.front()))
    return false;
  if (!wanted.non_resource_urls.empty())
    return covers_url(owned.non_resource_urls,
                      wanted.non_resource_urls.front());
  return contains_or_all(owned.api_groups, wanted.api_groups.front())
         && covers_resource(owned.resources, wanted.resources.front())
         && (owned.resource_names.empty()
             || (!wanted.resource_names.empty()
                 && contains(owned.resource_names,
                             wanted.resource_names.front())));
}

void append_list(std::string& out, const char* name, const texts& all) {
  if (all.empty())
    return;
  out += out.size() > 1 ? ", " : "";
  out += name;
  out += ":[";
  for (const auto& one : all)
    out += (&one == all.data() ? "" : " ") + in_quotes(one);
  out += "]";
}

} // namespace

bool policy_rule::operator==(const policy_rule& o) const {
  return verbs == o.verbs && api_groups == o.api_groups
         && resources == o.resources && resource_names == o.resource_names
         && non_resource_urls == o.non_resource_urls;
}

std::vector<policy_rule> read_policy_rules(const json& role) {
  std::vector<policy_rule> out;
  for (const auto& rule : array_at(role, {"rules"}))
    out.push_back({texts_at(rule, "verbs"), texts_at(rule, "apiGroups"),
                   texts_at(rule, "resources"), texts_at(rule, "resourceNames"),
                   texts_at(rule, "nonResourceURLs")});
  return out;
}

json policy_rules_to_json(const std::vector<policy_rule>& rules) {
  json out = json::array();
  for (const auto& rule : rules) {
    json one{{"verbs", rule.verbs}};
    auto add = [&](const char* key, const texts& all) {
      if (!all.empty())
        one[key] = all;
    };
    add("apiGroups", rule.api_groups);
    add("resources", rule.resources);
    add("resourceNames", rule.resource_names);
    add("nonResourceURLs", rule.non_resource_urls);
    out.push_back(std::move(one));
  }
  return out;
}

bool rule_allows(const policy_rule& rule, const access_attributes& wanted) {
  if (!contains_or_all(rule.verbs, wanted.verb))
    return false;
  if (!wanted.is_resource)
    return matches_url(rule.non_resource_urls, wanted.path);
  return contains_or_all(rule.api_groups, wanted.api_group)
         && matches_resource(rule.resources, wanted)
         && (rule.resource_names.empty()
             || contains(rule.resource_names, wanted.name));
}

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
    return "RBAC: allowed by " + describe(*by.binding) + " to "
           + describe(by.binding->subjects[by.subject]);
  if (allowed || errors.empty())
    return "";
  auto all = join(errors, ", ");
  return "RBAC: " + (errors.size() > 1 ? "[" + all + "]" : all);
}

access_decision authorize(const rbac_policy& policy, const user_info& user,
                          const access_attributes& wanted) {
  access_decision out;
  out.allowed = contains(user.groups, masters);
  if (out.allowed)
    return out;
  for_each_grant(
      policy, user, wanted.ns, [&](const rbac_policy::granted& grant) {
        const auto& b = *grant.binding;
        const auto* rules = policy.find_role(b.role_kind, b.ns, b.role_name);
        if (!rules) {
          auto error = missing_role_error(b);
          if (!contains(out.errors, error))
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

std::vector<policy_rule> rules_of(const rbac_policy& policy,
                                  const user_info& user, const std::string& ns,
                                  std::vector<std::string>& errors) {
  std::vector<policy_rule> out;
  if (contains(user.groups, masters)) {
    out.push_back(everything_rule());
    out.push_back({{everything}, {}, {}, {}, {everything}});
  }
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

std::vector<policy_rule>
rules_not_covered(const std::vector<policy_rule>& owned,
                  const std::vector<policy_rule>& wanted) {
  std::vector<policy_rule> simple, out;
  for (const auto& rule : wanted)
    append_simple_rules(rule, simple);
  for (auto& one : simple)
    if (std::none_of(owned.begin(), owned.end(),
                     [&](const auto& rule) { return covers(rule, one); }))
      out.push_back(std::move(one));
  return out;
}

std::string to_compact_text(const policy_rule& rule) {
  std::string out = "{";
  append_list(out, "APIGroups", rule.api_groups);
  append_list(out, "Resources", rule.resources);
  append_list(out, "ResourceNames", rule.resource_names);
  append_list(out, "NonResourceURLs", rule.non_resource_urls);
  append_list(out, "Verbs", rule.verbs);
  return out + "}";
}

} // namespace troupe::k8s::apiserver
