#pragma once

#include "frameworks/core/framework.hpp"

#include <map>
#include <string>

namespace troupe::core {

// Every name, label and annotation, in one place.

namespace label {
inline constexpr const char* operator_name =
    "training.kubeflow.org/operator-name";
inline constexpr const char* job_name = "training.kubeflow.org/job-name";
inline constexpr const char* replica_type =
    "training.kubeflow.org/replica-type";
inline constexpr const char* replica_index =
    "training.kubeflow.org/replica-index";
inline constexpr const char* job_role = "training.kubeflow.org/job-role";
// Annotations and a label by which schedulers know a pod's group.
inline constexpr const char* volcano_group = "scheduling.k8s.io/group-name";
inline constexpr const char* volcano_task = "volcano.sh/task-spec";
inline constexpr const char* pod_group = "scheduling.x-k8s.io/pod-group";
// By this label of a job Kueue decides when it may run.
inline constexpr const char* kueue_queue = "kueue.x-k8s.io/queue-name";
// Our own annotation on a pod: the number of consecutive early failures before
// it in the same slot.
inline constexpr const char* early_failures =
    "training.kubeflow.org/early-failures";
// An annotation of a job: status.restarts, where the definition of its kind has
// no such field.
inline constexpr const char* restarts = "training.kubeflow.org/restarts";
} // namespace label

/// "mnist-worker-0": of the pod and of its service. A type that is not indexed
/// has one pod, named without a number: "mnist-launcher".
std::string child_name(const framework& f, const std::string& job,
                       const slot& at);
std::string child_name(const job& j, const slot& at);

/// The value of the label job-name.
std::string job_label(const std::string& job);

/// The labels that name a slot (type and, if it has one, index), the operator
/// and the job: what services carry and select on.
std::map<std::string, std::string> selector_labels(const job& j,
                                                   const slot& at);

/// The number in a label or annotation; -1 if it is not written as we would
/// write it ("07" is not our "7").
std::int32_t parse_index(const std::string& text);

/// The selector for all children of one job, for a list.
std::string job_selector(const job& j);

/// The selector for the pods of one type, as the status shows it.
std::string replica_type_selector(const job& j, const std::string& type);

/// "TFJob" + "Running".
std::string condition_reason(const framework& f, const char* suffix);

} // namespace troupe::core
