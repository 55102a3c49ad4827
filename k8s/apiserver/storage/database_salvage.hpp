#pragma once

#include "k8s/result.hpp"

#include <string>
#include <utility>
#include <vector>

namespace troupe::k8s::apiserver {

/// The result of salvaging a broken file.
struct salvaged_database {
  std::string kept_as;     ///< Where the broken file is now.
  std::size_t objects = 0; ///< How many were taken over.
  /// (bucket, key) of objects that were in it and could not be read, as far as
  /// its index says.
  std::vector<std::pair<std::string, std::string>> lost;
};

/// Makes a new file of what can be read of a broken one, puts it into the
/// broken one's place, and keeps the broken one beside it. Nobody may have the
/// file open. If the process ends half way, the broken file still exists, and
/// the next call begins again.
result<salvaged_database> salvage_database(const std::string& path);

} // namespace troupe::k8s::apiserver
