#pragma once

#include "frameworks/core/waiting/waiting_reason.hpp"

namespace troupe::core {

// What a job waits for because of its pods; nullopt: not for that.

/// Pods that make no progress: not scheduled, image not pulled, and the like.
/// Pods that wait only for others of their gang come last.
std::optional<waiting_reason>
waiting_for_troubled_pods(const waiting_inputs& in);

/// Failed pods whose replacement is delayed.
std::optional<waiting_reason>
waiting_for_delayed_replacements(const waiting_inputs& in);

/// Pods that have no node yet, without any trouble.
std::optional<waiting_reason> waiting_for_scheduling(const waiting_inputs& in);

/// Pods that have a node and do not run yet, without any trouble.
std::optional<waiting_reason> waiting_for_start(const waiting_inputs& in);

/// Pods that run but are not ready, of a job for which that counts.
std::optional<waiting_reason> waiting_for_readiness(const waiting_inputs& in);

/// Pods that are being deleted.
std::optional<waiting_reason>
waiting_for_leaving_pods(const waiting_inputs& in);

/// Pods that do not exist yet.
std::optional<waiting_reason>
waiting_for_missing_pods(const waiting_inputs& in);

/// Pods whose node does not report.
std::optional<waiting_reason> waiting_for_lost_pods(const waiting_inputs& in);

} // namespace troupe::core
