#pragma once

#include "k8s/yaml.hpp"

#include <string>
#include <vector>

namespace troupe::cli {

/// Reads the Kubernetes objects of a manifest, as the API server wants them.
/// Errors name `source` and the line.
k8s::result<std::vector<k8s::yaml_document>>
parse_manifest(const std::string& text, const std::string& source);

/// The same of a file; "-" is standard input.
k8s::result<std::vector<k8s::yaml_document>>
read_manifest_file(const std::string& path);

/// The files that a path stands for: itself, or those of a directory whose
/// names end in .yaml, .yml or .json, sorted. An error if there is none, or if
/// one is a kustomization: those are for read_kustomization().
k8s::result<std::vector<std::string>>
manifest_files_at(const std::string& path);

} // namespace troupe::cli
