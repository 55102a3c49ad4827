#pragma once

#include "frameworks/core/workload/kueue_labels.hpp"

namespace troupe::core {

// Every label and annotation, in one place.

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
// Annotations of a job as Volcano names them, of pods and of what owns them:
// spec.networkTopology of its PodGroup. Volcano has none for a tier's name.
inline constexpr const char* topology_mode = "volcano.sh/network-topology-mode";
inline constexpr const char* topology_tier =
    "volcano.sh/network-topology-highest-tier";
inline constexpr const char* topology_tier_name =
    "training.kubeflow.org/network-topology-highest-tier-name";
// An annotation of a job: spec.subGroupPolicy of its PodGroup by replica type,
// as YAML or JSON.
inline constexpr const char* sub_group_policy =
    "training.kubeflow.org/sub-group-policy";
// A label of pods, as Volcano's own jobs have it: the number of a sub-group.
inline constexpr const char* volcano_partition = "volcano.sh/partition-id";
// Kueue decides by this label of a job when the job may run.
inline constexpr const char* kueue_queue = "kueue.x-k8s.io/queue-name";
// Our own annotation on a pod: the number of consecutive early failures before
// it in the same slot.
inline constexpr const char* early_failures =
    "training.kubeflow.org/early-failures";
// An annotation of a job: status.restarts, where the definition of its kind has
// no such field.
inline constexpr const char* restarts = "training.kubeflow.org/restarts";
// The same of restartAttempt, lastRestart and completedIndexes.
inline constexpr const char* recovery = "training.kubeflow.org/recovery";
// A label on pods of jobs that can be restarted as a whole.
inline constexpr const char* restart_attempt =
    "training.kubeflow.org/restart-attempt";
// Annotations of a job: spec.runPolicy.failurePolicy and successPolicy, as YAML
// or JSON, where the definition of its kind has no such fields.
inline constexpr const char* failure_policy =
    "training.kubeflow.org/failure-policy";
inline constexpr const char* success_policy =
    "training.kubeflow.org/success-policy";
// The same of spec.runPolicy.progress. As a label of a pod: it was told where
// to report.
inline constexpr const char* progress = "training.kubeflow.org/progress";
inline constexpr const char* told_to_report = "reports";
// Annotations of a job, for its PodGroup of Kubernetes: the label of nodes in
// one value of which all its pods are to be, and who else is preempted with a
// pod of it.
inline constexpr const char* topology = "training.kubeflow.org/topology";
inline constexpr const char* disruption_mode =
    "training.kubeflow.org/disruption-mode";
} // namespace label

/// The labels by which children of a kind of job are recognized. The defaults
/// are those of the training operator.
struct label_keys {
  /// A label that all children of a group of kinds have with one value. "":
  /// none.
  const char* group = "";
  const char* group_value = "";
  /// Its value is kind_names::controller.
  const char* controller = label::operator_name;
  const char* job_name = label::job_name;
  const char* replica_type = label::replica_type;
  /// "": none; the index is what the child's name ends with.
  const char* replica_index = label::replica_index;
  /// Its value is the pod's own name. "": none.
  const char* pod_name = "";
};

} // namespace troupe::core
