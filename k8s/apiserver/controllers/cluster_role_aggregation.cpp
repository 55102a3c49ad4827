#include "k8s/apiserver/controllers/cluster_role_aggregation.hpp"

#include <algorithm>

namespace troupe::k8s::apiserver {

namespace {

constexpr const char* cluster_roles = "clusterroles.rbac.authorization.k8s.io";

/// Whether the labels are as a LabelSelector says.
bool matches_label_selector(const json& selector, const json& labels) {
  for (const auto& [key, value] : value_at(selector, {"matchLabels"}).items())
    if (text_at(labels, {key.c_str()}) != value)
      return false;
  for (const auto& e : array_at(selector, {"matchExpressions"})) {
    const auto& key = text_at(e, {"key"});
    const auto& op = text_at(e, {"operator"});
    bool is_there = find_value(labels, {key.c_str()}) != nullptr;
    auto values = strings_at(e, {"values"});
    bool is_listed = is_there
                     && std::find(values.begin(), values.end(),
                                  text_at(labels, {key.c_str()}))
                            != values.end();
    bool good = op == "In"       ? is_listed
                : op == "NotIn"  ? !is_listed
                : op == "Exists" ? is_there
                                 : !is_there;
    if (!good)
      return false;
  }
  return true;
}

bool is_selected_for_aggregation(const json& rule, const json& role) {
  const auto& selectors = array_at(rule, {"clusterRoleSelectors"});
  return std::any_of(selectors.begin(), selectors.end(), [&](const json& one) {
    return matches_label_selector(one, value_at(role, {"metadata", "labels"}));
  });
}

std::vector<stored_object_ptr> list_cluster_roles(const server_state& state) {
  std::vector<stored_object_ptr> out;
  state.objects.for_each(cluster_roles, {}, {},
                         [&](const auto&, const stored_object_ptr& o) {
                           out.push_back(o);
                           return true;
                         });
  return out;
}

/// The rules of the selected roles, each once.
json collect_aggregated_rules(const std::vector<stored_object_ptr>& all,
                              const json& role) {
  json out = json::array();
  const auto& name = text_at(role, {"metadata", "name"});
  for (const auto& other : all)
    if (text_at(other->value(), {"metadata", "name"}) != name
        && is_selected_for_aggregation(value_at(role, {"aggregationRule"}),
                                       other->value()))
      for (const auto& rule : array_at(other->value(), {"rules"}))
        if (std::find(out.begin(), out.end(), rule) == out.end())
          out.push_back(rule);
  return out;
}

/// Whether a role has changed by it.
bool aggregate_cluster_roles_once(server_state& state) {
  bool has_changed = false;
  auto all = list_cluster_roles(state);
  for (const auto& role : all) {
    if (!value_at(role->value(), {"aggregationRule"}).is_object())
      continue;
    auto rules = collect_aggregated_rules(all, role->value());
    if (rules == array_at(role->value(), {"rules"}))
      continue;
    auto next = role->value();
    next["rules"] = std::move(rules);
    state.objects.put(
        cluster_roles,
        storage_key("", text_at(role->value(), {"metadata", "name"})),
        std::move(next));
    has_changed = true;
  }
  return has_changed;
}

} // namespace

void aggregate_cluster_roles(server_state& state) {
  // Roles may be aggregated of aggregated ones; in a circle it ends as well,
  // since each round adds rules that are there already.
  constexpr int most_rounds = 8;
  for (int i = 0; i < most_rounds && aggregate_cluster_roles_once(state); ++i)
    ;
}

} // namespace troupe::k8s::apiserver
