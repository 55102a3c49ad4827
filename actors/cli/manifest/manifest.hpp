#pragma once

#include "k8s/codec/yaml.hpp"
#include "k8s/general/files.hpp"

#include <string>
#include <vector>

namespace troupe::cli {

/// Reads the Kubernetes objects of a manifest, as the API server wants them.
/// Errors name `source` and the line.
k8s::result<std::vector<k8s::yaml_document>>
parse_manifest(const std::string& text, const std::string& source);

/// The name of a path in messages: "standard input" for "-".
std::string source_name(const std::string& path);

/// How many bytes all manifests of a command may have, in all.
constexpr std::size_t most_manifest_bytes = k8s::most_file_bytes;

/// Reads the text of a file; "-" is standard input. An error if it has more
/// than `left` bytes; `left` is reduced by the bytes that were read.
k8s::result<std::string> read_manifest_text(const std::string& path,
                                            std::size_t& left);

/// The files that a path stands for: itself, or those of a directory whose
/// names end in .yaml, .yml or .json, sorted. An error if there is none, or if
/// one is a kustomization: those are for read_kustomization().
k8s::result<std::vector<std::string>>
manifest_files_at(const std::string& path);

} // namespace troupe::cli
