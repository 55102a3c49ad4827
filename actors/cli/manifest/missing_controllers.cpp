#include "actors/cli/manifest/missing_controllers.hpp"

#include <string_view>

namespace troupe::cli {

const std::vector<k8s::resource>& workloads_without_controller() {
  static const std::vector<k8s::resource> all{
      {"apps", "v1", "daemonsets", "DaemonSet"},
      {"apps", "v1", "deployments", "Deployment"},
      {"apps", "v1", "replicasets", "ReplicaSet"},
      {"apps", "v1", "statefulsets", "StatefulSet"},
      {"batch", "v1", "cronjobs", "CronJob"},
      {"", "v1", "replicationcontrollers", "ReplicationController"},
  };
  return all;
}

bool is_api_of_kubernetes(std::string_view api_version) {
  auto slash = api_version.find('/');
  auto group = slash == api_version.npos ? std::string_view{}
                                         : api_version.substr(0, slash);
  constexpr std::string_view suffix = ".k8s.io";
  return group.find('.') == group.npos
         || (group.size() > suffix.size()
             && group.substr(group.size() - suffix.size()) == suffix);
}

std::string missing_controller_message(const std::string& api_version,
                                       const std::string& kind) {
  if (!is_api_of_kubernetes(api_version))
    return {};
  for (const auto& w : workloads_without_controller())
    if (w.kind == kind)
      return "this local cluster runs training jobs, Jobs and pods; it has no "
             "controller that would make the pods of a "
             + kind;
  if (kind == "Ingress")
    return "this local cluster has no ingress controller";
  if (kind == "HorizontalPodAutoscaler")
    return "this local cluster has no autoscaler";
  return {};
}

} // namespace troupe::cli
