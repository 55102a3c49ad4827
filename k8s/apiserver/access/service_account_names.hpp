#pragma once

#include <string>
#include <vector>

namespace troupe::k8s::apiserver {

/// The name of the user that a service account is.
std::string service_account_user_name(const std::string& ns,
                                      const std::string& name);

/// The groups of all service accounts of a namespace.
std::vector<std::string> service_account_groups(const std::string& ns);

} // namespace troupe::k8s::apiserver
