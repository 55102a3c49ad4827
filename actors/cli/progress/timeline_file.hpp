#pragma once

#include "actors/cli/progress/timeline.hpp"
#include "k8s/result.hpp"

namespace troupe::cli {

/// Makes an empty file, or empties an existing one, so that a path that cannot
/// be written is reported before the job runs.
k8s::result<k8s::nothing> create_empty_timeline_file(const std::string& path);

/// Writes the page of the timelines.
k8s::result<k8s::nothing>
write_timeline_file(const std::string& path,
                    const std::vector<const timeline*>& jobs,
                    k8s::time_point now);

} // namespace troupe::cli
