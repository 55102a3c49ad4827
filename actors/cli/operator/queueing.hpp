#pragma once

#include "config/settings.hpp"
#include "frameworks/core/model/cluster_options.hpp"
#include "k8s/api.hpp"

namespace troupe::cli {

/// Whether jobs are to wait for queues of Kueue's, as far as the server says
/// now; logs what was found.
core::queueing_options find_queueing(k8s::api& client,
                                     const config::settings& s);

} // namespace troupe::cli
