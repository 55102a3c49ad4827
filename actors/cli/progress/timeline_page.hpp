#pragma once

#include "actors/cli/progress/timeline.hpp"

namespace troupe::cli {

/// A page of HTML that shows the timelines as one picture: a row for each job
/// and each pod, a bar for each state. It needs no other file and no network.
std::string make_timeline_page(const std::vector<const timeline*>& jobs,
                               k8s::time_point now);

} // namespace troupe::cli
