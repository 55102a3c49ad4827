#pragma once

#include "frameworks/core/framework.hpp"

#include <optional>

namespace troupe::core {

// Gang scheduling: all pods of a job are placed together or not at all.

/// The PodGroup that the job should have now; none without gang scheduling, or
/// for a job that is over or suspended.
std::optional<auxiliary_object> pod_group(const job& j,
                                          const observed_children& seen,
                                          const cluster_options& cluster);

/// Whether pods have to wait until the scheduler admits their group (Volcano's
/// do, as long as it is pending).
bool waits_for_gang(const job& j, const observed_children& seen,
                    const cluster_options& cluster);

/// The job's own pod group, or nullptr.
const child_view* own_pod_group(const observed_children& seen);

/// The queue that Volcano has it in.
std::string gang_queue(const child_view& group);

/// Why the group is not admitted, as its events, its queue or its own
/// conditions say, or "".
std::string gang_waiting_reason(const observed_children& seen);

/// Tells the scheduler which group a pod is of. `pod` is complete otherwise.
void join_gang(nlohmann::json& pod, const job& j, const slot& at,
               const cluster_options& cluster);

/// What the original tells when a template names a scheduler of its own.
std::vector<job_event> scheduler_remarks(const job& j,
                                         const cluster_options& cluster);

} // namespace troupe::core
