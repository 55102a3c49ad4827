#pragma once

#include "k8s/json.hpp"

#include <string>

namespace troupe::cli {

/// Of a job with the label of a queue of Kueue's, in a cluster that has no
/// Kueue: that it does not wait; "" for other jobs.
std::string ignored_queue_warning(const k8s::json& job);

} // namespace troupe::cli
