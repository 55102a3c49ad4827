#pragma once

#include <string>

namespace troupe::k8s {

/// The name that Go, Kubernetes and container images have for the machine that
/// uname(2) calls so: "amd64", "arm64"; for one that is not known, that of
/// uname.
std::string architecture_of(const std::string& machine);

/// That of this machine.
std::string host_architecture();

} // namespace troupe::k8s
