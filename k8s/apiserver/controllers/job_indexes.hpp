#pragma once

#include <set>
#include <string>

namespace troupe::k8s::apiserver {

/// Reads "1,3-5,7" as in a Job's completedIndexes. What is no index, or not
/// below `limit`, is left out.
std::set<int> parse_job_indexes(const std::string& text, int limit);

/// Writes it.
std::string format_job_indexes(const std::set<int>& indexes);

} // namespace troupe::k8s::apiserver
