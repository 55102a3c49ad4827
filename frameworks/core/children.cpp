#include "frameworks/core/children.hpp"

namespace troupe::core {

namespace {

struct row {
  const char* noun;
  k8s::resource resource;
};

const row& row_of(child c) {
  static const std::string rbac = "rbac.authorization.k8s.io";
  static const row rows[child_count] = {
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
       {"scheduling.x-k8s.io", "v1alpha1", "podgroups", "PodGroup"}}};
  return rows[index_of(c)];
}

} // namespace

const char* to_string(child c) {
  return row_of(c).noun;
}

const k8s::resource& resource_of(child c) {
  return row_of(c).resource;
}

k8s::content content_of(child c) {
  if (c == child::pod)
    return k8s::content::pod;
  return c == child::service ? k8s::content::bare : k8s::content::whole;
}

k8s::content watched_content_of(child c) {
  bool whole = c == child::volcano_group || c == child::pod_group;
  return fills_place(c) || whole ? content_of(c) : k8s::content::bare;
}

} // namespace troupe::core
