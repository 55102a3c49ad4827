#pragma once

#include "k8s/codec/yaml.hpp"

#include <string>
#include <vector>

namespace troupe::cli {

/// The objects that `kubectl kustomize` makes of a directory with a
/// kustomization.yaml, or `kustomize build` if there is no kubectl. Fails if
/// there is neither, or if it fails; its own messages go to stderr.
k8s::result<std::vector<k8s::yaml_document>>
read_kustomization(const std::string& directory);

} // namespace troupe::cli
