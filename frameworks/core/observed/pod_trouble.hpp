#pragma once

#include "frameworks/core/model/child_view.hpp"

#include <cstddef>
#include <cstdint>

namespace troupe::core {

// Limits on what is kept of a pod's status, which a node or a user has written.
// Of lists the first entries are kept, of texts the beginning.
inline constexpr std::size_t max_trouble_containers = 64;
inline constexpr std::size_t max_trouble_conditions = 64;
inline constexpr std::size_t max_trouble_text_bytes = 4096;
/// Of the messages of all containers together, as a kubelet limits them.
inline constexpr std::size_t max_trouble_message_bytes = 12 * 1024;

/// The attempt that an object says it is part of, by its label; 0 without one.
std::int32_t attempt_by_label(const k8s::object_meta& meta);

/// Sets what a recovery reads of a pod: `attempt`, `failed_before_deletion` and
/// `trouble`. `view` has the phase, and whether it is terminating. Of a pod
/// that has only failed, there is none in a job that does not look at it.
///
/// The ends of containers and the conditions are kept of pods that failed or
/// are being deleted, and only if the job's policy on failures can make use of
/// them.
void copy_attempt_and_trouble(child_view& view, const k8s::pod_state& state,
                              const k8s::object_meta& meta, const job& of);

} // namespace troupe::core
