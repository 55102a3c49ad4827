#pragma once

#include "frameworks/core/waiting/waiting_reason.hpp"

namespace troupe::core {

// What the rows of the table make their reasons from.

inline constexpr next_move the_operator{mover::this_operator, "the operator"};

waiting_reason reason_of(std::string what, const next_move& whose,
                         std::string how = {});

/// "once", "3 times".
std::string once_or_n_times(std::int64_t n);

/// "1 pod", "3 pods".
std::string pluralize(std::int64_t n, const std::string& noun);

} // namespace troupe::core
