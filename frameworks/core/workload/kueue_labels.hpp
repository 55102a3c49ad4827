#pragma once

namespace troupe::core {

// Labels, annotations and finalizers of Kueue's, of jobs, their templates and
// their Workloads.

namespace label {
// What else Kueue reads of a job begins with this.
inline constexpr const char* kueue_prefix = "kueue.x-k8s.io/";
inline constexpr const char* provisioning_prefix = "provreq.kueue.x-k8s.io/";
inline constexpr const char* kueue_priority = "kueue.x-k8s.io/priority-class";
inline constexpr const char* kueue_longest_run =
    "kueue.x-k8s.io/max-exec-time-seconds";
inline constexpr const char* kueue_gated_by =
    "kueue.x-k8s.io/admission-gated-by";
// Of an elastic job, and of its Workloads, one for each size.
inline constexpr const char* kueue_elastic = "kueue.x-k8s.io/elastic-job";
inline constexpr const char* kueue_slice_of =
    "kueue.x-k8s.io/workload-slice-name";
inline constexpr const char* kueue_slice_replaces =
    "kueue.x-k8s.io/workload-slice-replacement-for";
// Of a Workload: the UID of its job, and what keeps its quota until we say so.
inline constexpr const char* kueue_job_uid = "kueue.x-k8s.io/job-uid";
inline constexpr const char* workload_finalizer =
    "kueue.x-k8s.io/resource-in-use";
// Our own label of the Workloads that we look after, and annotations: hashes of
// what they ask for, and of what its pods request.
inline constexpr const char* workload_owner = "training.kubeflow.org/queueing";
inline constexpr const char* workload_owner_value = "operator";
inline constexpr const char* workload_content =
    "training.kubeflow.org/workload-content";
inline constexpr const char* workload_requests =
    "training.kubeflow.org/workload-requests";
// Of the template of an admitted job.
inline constexpr const char* kueue_pod_set = "kueue.x-k8s.io/podset";
inline constexpr const char* kueue_local_queue =
    "kueue.x-k8s.io/local-queue-name";
inline constexpr const char* kueue_cluster_queue =
    "kueue.x-k8s.io/cluster-queue-name";
inline constexpr const char* kueue_workload = "kueue.x-k8s.io/workload";
inline constexpr const char* kueue_topology_gate = "kueue.x-k8s.io/topology";
inline constexpr const char* kueue_required_topology =
    "kueue.x-k8s.io/podset-required-topology";
inline constexpr const char* kueue_preferred_topology =
    "kueue.x-k8s.io/podset-preferred-topology";
inline constexpr const char* kueue_any_topology =
    "kueue.x-k8s.io/podset-unconstrained-topology";
inline constexpr const char* kueue_slice_topology =
    "kueue.x-k8s.io/podset-slice-required-topology";
inline constexpr const char* kueue_slice_size =
    "kueue.x-k8s.io/podset-slice-size";
inline constexpr const char* kueue_group_name =
    "kueue.x-k8s.io/podset-group-name";
} // namespace label

} // namespace troupe::core
