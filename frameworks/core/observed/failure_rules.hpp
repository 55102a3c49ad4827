#pragma once

#include "frameworks/core/model/child_view.hpp"
#include "frameworks/core/model/job.hpp"

namespace troupe::core {

/// How a pod was lost.
enum class pod_loss : std::uint8_t {
  failed, ///< By itself, or the cluster ended it.
  /// It is being deleted or is gone, and nobody but its job knows why. Its exit
  /// codes say nothing: they are those of its deletion.
  taken_away,
  node_lost, ///< Its node does not report any more.
};

/// Of a pod that is lost with its node, as if a condition of it said so.
inline constexpr const char* node_lost_reason = "NodeLost";
/// Of a restart because of a pod that somebody deleted.
inline constexpr const char* pod_deleted_reason = "Deleted";

/// The first rule of the job's policy that matches the pod, or nullptr. Of a
/// pod that was taken away, no rule with exit codes does.
const failure_rule* find_matching_rule(const job& j, const replica_spec& type,
                                       const child_view& pod, pod_loss how);

} // namespace troupe::core
