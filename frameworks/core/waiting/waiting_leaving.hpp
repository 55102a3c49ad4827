#pragma once

#include "frameworks/core/waiting/waiting_reason.hpp"

namespace troupe::core {

// Pods that have to go before the job goes on.

/// Pods whose nodes do not report; nullopt: there are none.
std::optional<waiting_reason>
waiting_for_silent_nodes(const waiting_inputs& in);

/// Pods that still run while a job is suspended; nullopt: there are none.
std::optional<waiting_reason>
waiting_for_stopping_pods(const waiting_inputs& in);

} // namespace troupe::core
