#pragma once

#include "k8s/json.hpp"
#include "k8s/result.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe::k8s::node {

/// A file that the node puts into an emptyDir of its own when it makes it.
struct initial_file {
  std::string name; ///< Without slashes.
  std::string text;
  unsigned mode = 0;
};

/// An emptyDir that has these files at first; containers may change them.
json make_volume_with_files(const std::string& name,
                            const std::vector<initial_file>& files);

/// Writes those of the volume's files that are not there into its directory.
std::optional<failure> write_initial_files(const json& volume,
                                           const std::string& directory);

} // namespace troupe::k8s::node
