#pragma once

#include "frameworks/core/model/recovery_status.hpp"

#include <cstdint>

namespace troupe::core {

/// Why an attempt began, as metrics count it: a fixed set, whatever the reason
/// says that is shown to people.
enum class restart_cause : std::uint8_t {
  failed,    ///< A pod failed by itself.
  disrupted, ///< The cluster ended a pod, or it could not begin its work.
  deleted,   ///< Somebody deleted a pod.
  node_lost, ///< A pod was lost with its node.
  stalled,   ///< It told nothing for too long.
};

inline constexpr restart_cause all_restart_causes[] = {
    restart_cause::failed, restart_cause::disrupted, restart_cause::deleted,
    restart_cause::node_lost, restart_cause::stalled};

/// last_restart::reason of a job that was stalled. Then no pod is the cause.
inline constexpr const char* stalled_reason = "Stalled";

/// "failed", "disrupted", "deleted", "node_lost", "stalled".
const char* to_string(restart_cause c);

/// Of the attempt that `after` has and `before` has not. One that counts
/// against the budget has failed, unless it was stalled.
restart_cause cause_of_attempt(const recovery_status& before,
                               const recovery_status& after);

/// "Job", or "ReplicaType" where only some types were restarted.
const char* scope_of_attempt(const recovery_status& r);

} // namespace troupe::core
