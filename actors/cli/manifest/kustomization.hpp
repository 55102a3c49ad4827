#pragma once

#include "k8s/codec/yaml.hpp"

#include <string>
#include <vector>

namespace troupe::cli {

/// The objects that `kubectl kustomize` makes of a directory with a
/// kustomization.yaml, or `kustomize build` where there is no kubectl. An error
/// if there is neither, or it fails; what it says goes to stderr.
k8s::result<std::vector<k8s::yaml_document>>
read_kustomization(const std::string& directory);

} // namespace troupe::cli
