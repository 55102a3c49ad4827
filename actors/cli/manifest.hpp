#pragma once

#include "k8s/result.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace troupe::cli {

/// One document of a manifest file, as the API server wants it.
struct document {
  nlohmann::json object;
  std::string where; ///< "job.yaml:12", of its first line.
};

/// Reads YAML (or JSON, which is YAML) with any number of documents; empty ones
/// are left out. Scalars get the types that kubectl gives them: quoted ones
/// are strings, plain ones what they look like. Errors name file and line.
k8s::result<std::vector<document>> read_manifest(const std::string& text,
                                                 const std::string& path);

/// One YAML document of any shape as JSON.
k8s::result<nlohmann::json> parse_yaml_document(const std::string& text,
                                                const std::string& path);

/// As read_manifest, of a file; "-" is standard input.
k8s::result<std::vector<document>> read_manifest_file(const std::string& path);

} // namespace troupe::cli
