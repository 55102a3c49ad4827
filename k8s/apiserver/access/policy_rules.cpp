#include "k8s/apiserver/access/policy_rules.hpp"

#include <algorithm>
#include <string_view>

namespace troupe::k8s::apiserver {

namespace {

using words = std::vector<std::string>;

constexpr std::string_view any = "*";

bool is_listed_in(const words& all, std::string_view one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

bool is_listed_or_wildcard(const words& all, std::string_view one) {
  return is_listed_in(all, any) || is_listed_in(all, one);
}

bool matches_resource(const words& all, const access_attributes& wanted) {
  const auto& sub = wanted.subresource;
  return std::any_of(all.begin(), all.end(), [&](const std::string& one) {
    if (one == any)
      return true;
    if (sub.empty())
      return one == wanted.resource;
    auto slash = one.find('/');
    if (slash == one.npos || one.compare(slash + 1, one.npos, sub) != 0)
      return false;
    std::string_view parent{one.data(), slash};
    return parent == any || parent == wanted.resource;
  });
}

bool matches_url(const words& all, const std::string& path) {
  return std::any_of(all.begin(), all.end(), [&](const std::string& one) {
    if (one == any || one == path)
      return true;
    return !one.empty() && one.back() == '*'
           && path.compare(0, one.size() - 1, one, 0, one.size() - 1) == 0;
  });
}

/// A rule in rules of one thing each.
void break_down_rule(const policy_rule& rule, std::vector<policy_rule>& out) {
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
                         name.empty() ? words{} : words{name},
                         {}});
    for (const auto& url : rule.non_resource_urls)
      out.push_back({{verb}, {}, {}, {}, {url}});
  }
}

bool covers_resource(const words& owned, const std::string& wanted) {
  if (is_listed_or_wildcard(owned, wanted))
    return true;
  auto slash = wanted.find('/');
  return slash != wanted.npos
         && is_listed_in(owned, "*" + wanted.substr(slash));
}

/// Whether one rule allows all that a simple one does.
bool rule_covers_simple_rule(const policy_rule& owned,
                             const policy_rule& wanted) {
  if (!is_listed_or_wildcard(owned.verbs, wanted.verbs.front()))
    return false;
  if (!wanted.non_resource_urls.empty())
    return matches_url(owned.non_resource_urls,
                       wanted.non_resource_urls.front());
  return is_listed_or_wildcard(owned.api_groups, wanted.api_groups.front())
         && covers_resource(owned.resources, wanted.resources.front())
         && (owned.resource_names.empty()
             || (!wanted.resource_names.empty()
                 && is_listed_in(owned.resource_names,
                                 wanted.resource_names.front())));
}

void append_named_list(std::string& out, const char* name, const words& all) {
  if (all.empty())
    return;
  out += out.size() > 1 ? ", " : "";
  out += name;
  out += ":[";
  for (const auto& one : all)
    out += (&one == all.data() ? "" : " ") + to_quoted(one);
  out += "]";
}

} // namespace

bool policy_rule::operator==(const policy_rule& o) const {
  return verbs == o.verbs && api_groups == o.api_groups
         && resources == o.resources && resource_names == o.resource_names
         && non_resource_urls == o.non_resource_urls;
}

std::vector<policy_rule> cluster_admin_rules() {
  const words all{std::string{any}};
  return {{all, all, all, {}, {}}, {all, {}, {}, {}, all}};
}

std::vector<policy_rule> read_policy_rules(const json& role) {
  std::vector<policy_rule> out;
  for (const auto& rule : array_at(role, {"rules"}))
    out.push_back({strings_at(rule, {"verbs"}), strings_at(rule, {"apiGroups"}),
                   strings_at(rule, {"resources"}),
                   strings_at(rule, {"resourceNames"}),
                   strings_at(rule, {"nonResourceURLs"})});
  return out;
}

json policy_rules_to_json(const std::vector<policy_rule>& rules) {
  json out = json::array();
  for (const auto& rule : rules) {
    json one{{"verbs", rule.verbs}};
    auto add = [&](const char* key, const words& all) {
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
  if (!is_listed_or_wildcard(rule.verbs, wanted.verb))
    return false;
  if (!wanted.is_resource)
    return matches_url(rule.non_resource_urls, wanted.path);
  return is_listed_or_wildcard(rule.api_groups, wanted.api_group)
         && matches_resource(rule.resources, wanted)
         && (rule.resource_names.empty()
             || is_listed_in(rule.resource_names, wanted.name));
}

std::vector<policy_rule>
rules_not_covered(const std::vector<policy_rule>& owned,
                  const std::vector<policy_rule>& wanted) {
  std::vector<policy_rule> simple, out;
  for (const auto& rule : wanted)
    break_down_rule(rule, simple);
  for (auto& one : simple)
    if (std::none_of(owned.begin(), owned.end(), [&](const auto& rule) {
          return rule_covers_simple_rule(rule, one);
        }))
      out.push_back(std::move(one));
  return out;
}

std::string to_compact_text(const policy_rule& rule) {
  std::string out = "{";
  append_named_list(out, "APIGroups", rule.api_groups);
  append_named_list(out, "Resources", rule.resources);
  append_named_list(out, "ResourceNames", rule.resource_names);
  append_named_list(out, "NonResourceURLs", rule.non_resource_urls);
  append_named_list(out, "Verbs", rule.verbs);
  return out + "}";
}

} // namespace troupe::k8s::apiserver
