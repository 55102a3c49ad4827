#pragma once

#include "frameworks/core/model/framework.hpp"

#include <string>

namespace troupe::frameworks::di::tasks {

// The pods and the service of a DIJob of tasks. Pure functions.

inline constexpr std::int32_t default_port = 22270;

core::label_keys task_label_keys();

/// The name of the one headless service of the job: "di-cp". The DNS names of
/// its pods end with it.
std::string job_service_name(const std::string& job);

/// The bytes of DI_NODES and, at most, of DI_LEARNER_NODES and the like.
std::size_t listed_names_bytes(const core::job& j);

/// JSON text of the pod of this task, with this rank in the task. ec::invalid
/// if the job has no such task, or its template no list of containers.
k8s::result<std::string> make_pod(const core::job& j, const core::slot& at,
                                  const core::cluster_options& cluster,
                                  std::optional<std::int32_t> attempt = {});

/// JSON text of the service.
std::string make_service_json(const core::job& j);

} // namespace troupe::frameworks::di::tasks
