#include "actors/cli/missing_controllers.hpp"

namespace troupe::cli {

void refuse_workloads_without_controller(k8s::apiserver::api_server& server) {
  const k8s::resource workloads[] = {
      {"apps", "v1", "daemonsets", "DaemonSet"},
      {"apps", "v1", "deployments", "Deployment"},
      {"apps", "v1", "replicasets", "ReplicaSet"},
      {"apps", "v1", "statefulsets", "StatefulSet"},
      {"batch", "v1", "cronjobs", "CronJob"},
      {"batch", "v1", "jobs", "Job"},
      {"", "v1", "replicationcontrollers", "ReplicationController"},
  };
  for (const auto& w : workloads)
    server.set_admission_validator(
        w, [kind = w.kind](const k8s::json&, const k8s::json* old) {
          k8s::apiserver::admission_response response;
          if (!old)
            response.denial =
                "this local cluster runs training jobs and pods; it has no "
                "controller that would make the pods of a "
                + kind;
          return response;
        });
}

} // namespace troupe::cli
