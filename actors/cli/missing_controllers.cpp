#include "actors/cli/missing_controllers.hpp"

#include <string_view>

namespace troupe::cli {

namespace {

const k8s::resource workloads[] = {
    {"apps", "v1", "daemonsets", "DaemonSet"},
    {"apps", "v1", "deployments", "Deployment"},
    {"apps", "v1", "replicasets", "ReplicaSet"},
    {"apps", "v1", "statefulsets", "StatefulSet"},
    {"batch", "v1", "cronjobs", "CronJob"},
    {"batch", "v1", "jobs", "Job"},
    {"", "v1", "replicationcontrollers", "ReplicationController"},
};

std::string missing_pod_controller_message(const std::string& kind) {
  return "this local cluster runs training jobs and pods; it has no "
         "controller that would make the pods of a "
         + kind;
}

} // namespace

void refuse_workloads_without_controller(k8s::apiserver::api_server& server) {
  for (const auto& w : workloads)
    server.set_admission_validator(
        w, [kind = w.kind](const k8s::json&, const k8s::json* old) {
          k8s::apiserver::admission_response response;
          if (!old)
            response.denial = missing_pod_controller_message(kind);
          return response;
        });
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
  for (const auto& w : workloads)
    if (w.kind == kind)
      return missing_pod_controller_message(kind);
  if (kind == "Ingress")
    return "this local cluster has no ingress controller";
  if (kind == "HorizontalPodAutoscaler")
    return "this local cluster has no autoscaler";
  return {};
}

} // namespace troupe::cli
