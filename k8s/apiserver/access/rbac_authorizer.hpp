#pragma once

#include "k8s/apiserver/access/policy_rules.hpp"
#include "k8s/user_info.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace troupe::k8s::apiserver {

/// A RoleBinding or ClusterRoleBinding.
struct role_binding {
  struct subject {
    std::string kind; ///< User, Group or ServiceAccount.
    std::string name;
    std::string ns; ///< Of a ServiceAccount.
  };

  std::string ns; ///< "" for a ClusterRoleBinding.
  std::string name;
  std::string role_kind; ///< Role or ClusterRole.
  std::string role_name;
  std::vector<subject> subjects;
};

role_binding read_role_binding(const json& object);

/// All roles and bindings, which decide who may do what. A value.
class rbac_policy {
public:
  /// `ns` is "" for a ClusterRole.
  void put_role(const std::string& ns, const std::string& name,
                std::vector<policy_rule> rules);
  void remove_role(const std::string& ns, const std::string& name);
  void put_binding(role_binding b);
  void remove_binding(const std::string& ns, const std::string& name);

  /// The rules of a role that a binding in namespace `ns` refers to; null if
  /// there is none.
  const std::vector<policy_rule>* find_role(const std::string& kind,
                                            const std::string& ns,
                                            const std::string& name) const;

  struct granted {
    std::shared_ptr<const role_binding> binding;
    std::size_t subject = 0; ///< Its index in the binding.
  };
  /// The bindings of a user or group in a namespace ("": everywhere); null if
  /// there are none.
  const std::vector<granted>* find_grants(const std::string& ns,
                                          const char* kind,
                                          const std::string& name) const;

private:
  using named = std::pair<std::string, std::string>; ///< Namespace and name.

  std::map<named, std::vector<policy_rule>> roles_;
  std::map<named, std::shared_ptr<const role_binding>> bindings_;
  std::unordered_map<std::string, std::vector<granted>> grants_;
};

struct access_decision {
  bool allowed = false;
  /// The binding that allows it, if one does.
  rbac_policy::granted by = {};
  /// About roles that bindings name and that do not exist.
  std::vector<std::string> errors = {};

  /// As RBAC words it; "" if there is nothing to say.
  std::string reason() const;
};

/// Whether the user may do it. Members of system:masters may do everything.
access_decision authorize_by_rbac(const rbac_policy& policy,
                                  const user_info& user,
                                  const access_attributes& wanted);

/// All rules that apply to a user in a namespace, including those of the whole
/// cluster; for `errors`, see access_decision.
std::vector<policy_rule> rules_granted_to(const rbac_policy& policy,
                                          const user_info& user,
                                          const std::string& ns,
                                          std::vector<std::string>& errors);

} // namespace troupe::k8s::apiserver
