#include "frameworks/core/recovery/restart_cause.hpp"

#include "frameworks/core/observed/failure_rules.hpp"

namespace troupe::core {

const char* to_string(restart_cause c) {
  switch (c) {
  case restart_cause::failed:
    return "failed";
  case restart_cause::disrupted:
    return "disrupted";
  case restart_cause::deleted:
    return "deleted";
  case restart_cause::node_lost:
    return "node_lost";
  case restart_cause::stalled:
    return "stalled";
  }
  return "";
}

restart_cause cause_of_attempt(const recovery_status& before,
                               const recovery_status& after) {
  if (after.last.reason == stalled_reason && after.last.pod.empty())
    return restart_cause::stalled;
  // Of several losses at once, what counts was seen beside what does not.
  if (after.counted > before.counted)
    return restart_cause::failed;
  if (after.last.reason == node_lost_reason)
    return restart_cause::node_lost;
  return after.last.reason == pod_deleted_reason ? restart_cause::deleted
                                                 : restart_cause::disrupted;
}

const char* scope_of_attempt(const recovery_status& r) {
  return r.last.type.empty() ? "Job" : "ReplicaType";
}

} // namespace troupe::core
