#pragma once

#include "actors/admin/text/waiting_reason.hpp"

namespace troupe::actors {

// What a job waits for because of its pods, according to the report of its
// supervisor; nullopt: not for that.

/// Pods that do not get on: not scheduled, image not pulled, and the like.
/// Those that wait only for others of their gang come last.
std::optional<waiting_reason>
waiting_for_pods_with_problem(const nlohmann::json& report);

/// Failed pods whose replacement is delayed.
std::optional<waiting_reason>
waiting_for_delayed_replacements(const nlohmann::json& report);

/// Pods that are not scheduled, or do not run yet, without any trouble.
std::optional<waiting_reason>
waiting_for_pending_pods(const nlohmann::json& report);

/// Pods that run but are not ready, of a job for which that counts.
std::optional<waiting_reason>
waiting_for_unready_pods(const nlohmann::json& report);

std::optional<waiting_reason>
waiting_for_terminating_pods(const nlohmann::json& report);

/// Pods that do not exist yet.
std::optional<waiting_reason>
waiting_for_missing_pods(const nlohmann::json& report);

/// Pods whose node does not report.
std::optional<waiting_reason>
waiting_for_lost_pods(const nlohmann::json& report);

} // namespace troupe::actors
