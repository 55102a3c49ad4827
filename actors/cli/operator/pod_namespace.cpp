#include "actors/cli/operator/pod_namespace.hpp"

#include <fstream>

namespace troupe::cli {

std::string pod_namespace(const config::environment& env) {
  if (auto i = env.find("MY_POD_NAMESPACE");
      i != env.end() && !i->second.empty())
    return i->second;
  std::ifstream file{"/var/run/secrets/kubernetes.io/serviceaccount/namespace"};
  std::string ns;
  std::getline(file, ns);
  return ns;
}

} // namespace troupe::cli
