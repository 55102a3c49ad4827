#include "k8s/general/architecture.hpp"

#include <sys/utsname.h>

namespace troupe::k8s {

std::string architecture_of(const std::string& machine) {
  return machine == "x86_64"    ? "amd64"
         : machine == "aarch64" ? "arm64"
                                : machine;
}

std::string host_architecture() {
  utsname host{};
  ::uname(&host);
  return architecture_of(host.machine);
}

} // namespace troupe::k8s
