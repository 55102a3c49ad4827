#pragma once

#include "frameworks/core/waiting/waiting_reason.hpp"

namespace troupe::core {

// Replica types, or whole jobs, that are restarted.

/// What the latest attempt waits for until its pods are made; nullopt: nothing,
/// or for what all pods wait for that were made.
std::optional<waiting_reason> waiting_for_restart(const waiting_inputs& in);

/// Pods of before a suspension, which have to be gone before the job is
/// resumed; nullopt: there are none.
std::optional<waiting_reason>
waiting_for_stop_before_resume(const waiting_inputs& in);

} // namespace troupe::core
