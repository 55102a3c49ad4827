#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace troupe::k8s {

/// The sender of a request, as Kubernetes describes users.
struct user_info {
  std::string name;
  std::vector<std::string> groups = {};
  std::string uid = {};
  std::map<std::string, std::vector<std::string>> extra = {};
};

using user_ptr = std::shared_ptr<const user_info>;

} // namespace troupe::k8s
