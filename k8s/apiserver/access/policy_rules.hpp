#pragma once

#include "k8s/json.hpp"

#include <string>
#include <vector>

namespace troupe::k8s::apiserver {

/// What somebody wants to do with an object, a collection or a path.
struct access_attributes {
  bool is_resource = true;
  std::string verb;
  std::string api_group;
  std::string resource;
  std::string subresource;
  std::string ns;   ///< "" for all namespaces, or the cluster's scope.
  std::string name; ///< "": no particular object.
  std::string path; ///< Used if it is not a resource.
};

/// One rule of a role.
struct policy_rule {
  std::vector<std::string> verbs;
  std::vector<std::string> api_groups;
  std::vector<std::string> resources; ///< "pods", "pods/log", "*/scale", "*".
  std::vector<std::string> resource_names;    ///< Empty: all.
  std::vector<std::string> non_resource_urls; ///< "/healthz", "/logs/*".

  bool operator==(const policy_rule& o) const;
};

/// The rules of the ClusterRole cluster-admin: all resources, and all paths.
std::vector<policy_rule> cluster_admin_rules();

/// The rules of a Role or ClusterRole object.
std::vector<policy_rule> read_policy_rules(const json& role);
json policy_rules_to_json(const std::vector<policy_rule>& rules);

bool rule_allows(const policy_rule& rule, const access_attributes& wanted);

/// What `wanted` allows and `owned` does not, in rules of one verb, group,
/// resource and name each.
std::vector<policy_rule>
rules_not_covered(const std::vector<policy_rule>& owned,
                  const std::vector<policy_rule>& wanted);

/// `{APIGroups:[""], Resources:["pods"], Verbs:["get"]}`.
std::string to_compact_text(const policy_rule& rule);

} // namespace troupe::k8s::apiserver
