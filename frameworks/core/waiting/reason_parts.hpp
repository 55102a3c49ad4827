#pragma once

#include "frameworks/core/waiting/waiting_reason.hpp"

#include <functional>
#include <string>
#include <vector>

namespace troupe::core {

// What the rows of the table make their reasons from.

inline constexpr next_move the_operator{mover::this_operator, "the operator"};

waiting_reason reason_of(std::string what, const next_move& whose,
                         std::string how = {});

/// "once", "3 times".
std::string once_or_n_times(std::int64_t n);

/// "1 pod", "3 pods".
std::string pluralize(std::int64_t n, const std::string& noun);

using pod_list = std::vector<const child_view*>;

/// The job's pods for which `such` holds, by name. Not those of which only
/// their labels say that the job's launcher Job has made them.
pod_list pods_where(const waiting_inputs& in,
                    const std::function<bool(const child_view& pod)>& such);

/// "job-worker-0", "job-worker-0 and 3 other pods".
std::string first_and_others(const pod_list& pods);

} // namespace troupe::core
