#pragma once

#include "frameworks/core/model/framework.hpp"
#include "frameworks/core/model/status.hpp"

#include <optional>

namespace troupe::core {

// Gang scheduling: all pods of a job are placed together or not at all.

/// The PodGroup that an unfinished job should have now; none without gang
/// scheduling, or for a suspended job.
std::optional<auxiliary_object>
desired_pod_group(const job& j, const observed_children& seen,
                  const cluster_options& cluster);

/// Whether pods have to wait until the scheduler admits their group (with
/// Volcano they do, as long as the group is pending).
bool waits_for_volcano_admission(const observed_children& seen,
                                 const cluster_options& cluster);

/// Whether the job is held: its pods wait for their gang, and it has had no
/// pods since it was created or resumed, except those that are being deleted.
/// Then neither pods nor the objects that they need are created, and the status
/// is not updated.
bool is_held_for_gang(const observed_children& seen, const job_status& status,
                      const cluster_options& cluster);

/// The job's own pod group, or nullptr.
const child_view* own_pod_group(const observed_children& seen);

/// The phase that its scheduler has set; "" if there is none yet.
std::string pod_group_phase(const child_view& group);

/// The queue in which Volcano has it.
std::string pod_group_queue_name_or_default(const child_view& group);

/// Why the group is not admitted, according to its events, its queue or its
/// conditions, or "".
std::string gang_waiting_reason(const observed_children& seen);

} // namespace troupe::core
