#include "frameworks/core/model/children.hpp"

namespace troupe::core {

namespace {

struct row {
  const char* noun;
  k8s::resource resource;
};

const row& child_kind_row(child_kind c) {
  static const std::string rbac = "rbac.authorization.k8s.io";
  static const row rows[child_kind_count] = {
      {"pod", {"", "v1", "pods", "Pod"}},
      {"service", {"", "v1", "services", "Service"}},
      {"config map", {"", "v1", "configmaps", "ConfigMap"}},
      {"service account", {"", "v1", "serviceaccounts", "ServiceAccount"}},
      {"role", {rbac, "v1", "roles", "Role"}},
      {"role binding", {rbac, "v1", "rolebindings", "RoleBinding"}},
      {"autoscaler",
       {"autoscaling", "v2", "horizontalpodautoscalers",
        "HorizontalPodAutoscaler"}},
      {"pod group",
       {"scheduling.volcano.sh", "v1beta1", "podgroups", "PodGroup"}},
      {"pod group",
       {"scheduling.x-k8s.io", "v1alpha1", "podgroups", "PodGroup"}},
      {"service", {"", "v1", "services", "Service"}},
      {"secret", {"", "v1", "secrets", "Secret"}},
      {"launcher job", {"batch", "v1", "jobs", "Job"}},
      {"workload", {"kueue.x-k8s.io", "v1beta2", "workloads", "Workload"}},
      {"pod group", {"scheduling.k8s.io", "v1beta1", "podgroups", "PodGroup"}}};
  return rows[index_of(c)];
}

} // namespace

const char* to_string(child_kind c) {
  return child_kind_row(c).noun;
}

const k8s::resource& resource_of(child_kind c) {
  return child_kind_row(c).resource;
}

k8s::object_detail reconcile_detail_of(child_kind c) {
  if (c == child_kind::pod)
    return k8s::object_detail::pod;
  if (c == child_kind::launcher_job)
    return k8s::object_detail::batch_job;
  if (c == child_kind::secret)
    return k8s::object_detail::secret_names;
  return c == child_kind::service ? k8s::object_detail::metadata
                                  : k8s::object_detail::full;
}

k8s::object_detail watched_detail_of(child_kind c) {
  bool whole = c == child_kind::volcano_group || c == child_kind::pod_group
               || c == child_kind::native_group || c == child_kind::launcher_job
               || c == child_kind::workload;
  return is_replica_child(c) || whole ? reconcile_detail_of(c)
                                      : k8s::object_detail::metadata;
}

watch_selectors watch_selectors_of(child_kind c) {
  if (c == child_kind::launcher_job)
    return {"training.kubeflow.org/operator-name=mpi-operator", ""};
  if (c == child_kind::workload)
    return {"training.kubeflow.org/queueing=operator", ""};
  if (c == child_kind::secret)
    return {"", "type=kubernetes.io/ssh-auth"};
  return {};
}

} // namespace troupe::core
