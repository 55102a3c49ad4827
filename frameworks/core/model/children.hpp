#pragma once

#include "k8s/objects.hpp"

#include <cstddef>
#include <cstdint>

namespace troupe::core {

/// The kinds of objects that jobs have. Pods and services fill the slots of
/// replicas; the others are auxiliary objects of the job as a whole, known by
/// name.
enum class child_kind : std::uint8_t {
  pod,
  service,
  config_map,
  service_account,
  role,
  role_binding,
  autoscaler,
  volcano_group, ///< Volcano's PodGroup.
  pod_group,     ///< scheduler-plugins' PodGroup.
  job_service,   ///< One Service for all pods of a job.
  secret,
  launcher_job, ///< A batch/v1 Job, whose controller makes the launcher's pods.
  workload,     ///< What the job asks of Kueue.
  native_group, ///< Kubernetes' own PodGroup.
};

inline constexpr std::size_t child_kind_count = 14;

/// All of them, in order, for loops.
inline constexpr child_kind all_child_kinds[child_kind_count] = {
    child_kind::pod,        child_kind::service,
    child_kind::config_map, child_kind::service_account,
    child_kind::role,       child_kind::role_binding,
    child_kind::autoscaler, child_kind::volcano_group,
    child_kind::pod_group,  child_kind::job_service,
    child_kind::secret,     child_kind::launcher_job,
    child_kind::workload,   child_kind::native_group};

inline constexpr std::size_t index_of(child_kind c) {
  return static_cast<std::size_t>(c);
}

const char* to_string(child_kind c); ///< "pod", "service", "config map".

const k8s::resource& resource_of(child_kind c);

/// How much of a child must be kept to reconcile it, unless the kind of job
/// needs more (framework.hpp).
k8s::object_detail reconcile_detail_of(child_kind c);

/// How much of a child its watcher keeps. Objects that are recognized only by
/// their owner are watched in the whole cluster, and most of them belong to
/// others. So only metadata is watched, which contains the owner, and the body
/// of a job's object is read when its version is new (see read_auxiliary). Pod
/// groups are watched whole: they are small, and pods wait for the status in
/// them, so a second call would cost time. Of launcher Jobs the state is
/// watched.
k8s::object_detail watched_detail_of(child_kind c);

/// What a watch of auxiliary objects of this kind selects them by, beside their
/// namespace; "": nothing. Pods and services are selected by the labels of
/// their kinds of job (see names.hpp).
struct watch_selectors {
  const char* labels = "";
  const char* fields = "";
};
watch_selectors watch_selectors_of(child_kind c);

/// Whether it fills the slot of a replica.
inline constexpr bool is_replica_child(child_kind c) {
  return c == child_kind::pod || c == child_kind::service;
}

} // namespace troupe::core
