#pragma once

#include "frameworks/core/model/framework.hpp"
#include "frameworks/core/model/status.hpp"
#include "frameworks/core/observed/observed.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace troupe::core {

/// How many replicas of each type there are to be: as many as the spec says; of
/// types whose pods are created on request, as many as there are.
std::map<std::string, std::int32_t>
desired_replicas(const job& j, const observed_children& seen);

std::int32_t total_desired_replicas(const job& j,
                                    const observed_children& seen);

/// Whether all of them run or are done, by the counts of this status.
bool do_all_run(const job& j, const observed_children& seen,
                const job_status& s);

} // namespace troupe::core
