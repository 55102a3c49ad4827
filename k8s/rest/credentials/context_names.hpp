#pragma once

#include <string>
#include <vector>

namespace troupe::k8s::rest {

/// The names of the contexts of a kubeconfig, or of those that $KUBECONFIG
/// names, or of ~/.kube/config, for proposals: what cannot be read is left out.
std::vector<std::string> find_context_names(const std::string& path);

} // namespace troupe::k8s::rest
