#include "k8s/apiserver/access/service_account_names.hpp"

namespace troupe::k8s::apiserver {

std::string service_account_user_name(const std::string& ns,
                                      const std::string& name) {
  return "system:serviceaccount:" + ns + ":" + name;
}

std::vector<std::string> service_account_groups(const std::string& ns) {
  return {"system:serviceaccounts", "system:serviceaccounts:" + ns};
}

} // namespace troupe::k8s::apiserver
