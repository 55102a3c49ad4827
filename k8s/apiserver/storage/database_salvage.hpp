#pragma once

#include "k8s/result.hpp"

#include <string>
#include <utility>
#include <vector>

namespace troupe::k8s::apiserver {

/// What came of a broken file.
struct salvaged_database {
  std::string kept_as;     ///< Where the broken file is now.
  std::size_t objects = 0; ///< How many were taken over.
  /// (bucket, key) of objects that were in it and could not be read, as far as
  /// its index tells.
  std::vector<std::pair<std::string, std::string>> lost;
};

/// Makes a new file of what can be read of a broken one, takes its place with
/// it and keeps the broken one beside it. Nobody may have it open. If that ends
/// half way, the broken file is still there, and it begins again.
result<salvaged_database> salvage_database(const std::string& path);

} // namespace troupe::k8s::apiserver
