#pragma once

#include <string>
#include <vector>

namespace troupe::k8s::rest {

/// The names of all contexts, for proposals, without repetition: of the
/// kubeconfig at `path`; if that is "", of the files in $KUBECONFIG, or of
/// ~/.kube/config. Files that cannot be read are left out.
std::vector<std::string> find_context_names(const std::string& path);

} // namespace troupe::k8s::rest
