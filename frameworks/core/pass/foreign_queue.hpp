#pragma once

#include "frameworks/core/model/cluster_options.hpp"
#include "frameworks/core/model/job.hpp"

#include <string>

namespace troupe::core {

/// "; queue q: WHY" of a job with a queue that is not for this operator to
/// keep: Kueue does it itself, or a right is missing; "": there is nothing to
/// say.
std::string describe_foreign_queue(const job& j,
                                   const cluster_options& cluster);

} // namespace troupe::core
