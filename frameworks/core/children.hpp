#pragma once

#include "k8s/objects.hpp"

#include <cstddef>
#include <cstdint>

namespace troupe::core {

/// The kinds of objects that jobs have. Pods and services fill the places of
/// replicas; the others are belongings of the job as a whole, known by name.
enum class child : std::uint8_t {
  pod,
  service,
  config_map,
  service_account,
  role,
  role_binding,
  autoscaler,
  volcano_group, ///< Volcano's PodGroup.
  pod_group,     ///< scheduler-plugins' PodGroup.
};

inline constexpr std::size_t child_count = 9;

/// All of them, in order, for loops.
inline constexpr child all_children[child_count] = {
    child::pod,        child::service,
    child::config_map, child::service_account,
    child::role,       child::role_binding,
    child::autoscaler, child::volcano_group,
    child::pod_group};

inline constexpr std::size_t index_of(child c) {
  return static_cast<std::size_t>(c);
}

const char* to_string(child c); ///< "pod", "service", "config map".

const k8s::resource& resource_of(child c);

/// What must be kept of one to look after it.
k8s::content content_of(child c);

/// What its watcher keeps of it. What is known by its owner only is asked for
/// in the whole cluster, and most of it is somebody else's: of that metadata
/// tells whose it is, and the body of a job's own is read when its version is
/// new (see read_child). Pod groups are watched whole: they are small, and pods
/// wait for the status in them, so that a second call would cost time.
k8s::content watched_content_of(child c);

/// Whether it fills the place of a replica.
inline constexpr bool fills_place(child c) {
  return c == child::pod || c == child::service;
}

/// Whether one that is there will do, whoever owns it.
inline constexpr bool may_be_shared(child c) {
  return c == child::service_account;
}

} // namespace troupe::core
