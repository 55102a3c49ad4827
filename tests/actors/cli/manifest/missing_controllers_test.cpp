#include "actors/cli/local/refused_workloads.hpp"
#include "actors/cli/manifest/missing_controllers.hpp"
#include "tests/k8s/apiserver/server_fixture.hpp"

using troupe::k8s::json;
using troupe::k8s::apiserver::server_fixture;

BOOST_AUTO_TEST_SUITE(missing_controllers_)

BOOST_AUTO_TEST_CASE(a_workload_without_controller_is_not_created) {
  struct row {
    const char* path;
    const char* version;
    const char* kind;
  } rows[] = {
      {"/apis/apps/v1/namespaces/default/deployments", "apps/v1", "Deployment"},
      {"/apis/apps/v1/namespaces/default/replicasets", "apps/v1", "ReplicaSet"},
      {"/apis/apps/v1/namespaces/default/statefulsets", "apps/v1",
       "StatefulSet"},
      {"/apis/apps/v1/namespaces/default/daemonsets", "apps/v1", "DaemonSet"},
      {"/apis/batch/v1/namespaces/default/cronjobs", "batch/v1", "CronJob"},
      {"/api/v1/namespaces/default/replicationcontrollers", "v1",
       "ReplicationController"},
  };
  for (const auto& r : rows) {
    server_fixture s;
    json object{{"apiVersion", r.version},
                {"kind", r.kind},
                {"metadata", {{"name", "a"}}}};
    BOOST_TEST(s.post(r.path, object).status == 201, r.kind);
    object["metadata"]["name"] = "b";
    troupe::cli::refuse_workloads_without_controller(s.core);
    auto refused = s.post(r.path, object);
    BOOST_TEST(refused.status == 403, r.kind);
    BOOST_TEST(refused.says(std::string{"would make the pods of a "} + r.kind));
  }
}

BOOST_AUTO_TEST_CASE(kinds_without_controller_are_known_in_all_versions) {
  using troupe::cli::missing_controller_message;
  const char* const rows[][2] = {
      {"apps/v1", "Deployment"},
      {"extensions/v1beta1", "Deployment"},
      {"batch/v1", "CronJob"},
      {"batch/v1beta1", "CronJob"},
      {"v1", "ReplicationController"},
      {"networking.k8s.io/v1", "Ingress"},
      {"extensions/v1beta1", "Ingress"},
      {"autoscaling/v2beta2", "HorizontalPodAutoscaler"},
  };
  for (const auto& [version, kind] : rows)
    BOOST_TEST(missing_controller_message(version, kind) != "", kind);
  const char* const others[][2] = {
      {"v1", "ConfigMap"},
      {"v1", "Pod"},
      {"batch/v1", "Job"},
      {"batch.volcano.sh/v1alpha1", "Job"},
      {"serving.knative.dev/v1", "Deployment"},
      {"", ""},
  };
  for (const auto& [version, kind] : others)
    BOOST_TEST(missing_controller_message(version, kind) == "", kind);
}

BOOST_AUTO_TEST_CASE(groups_of_kubernetes_have_no_domain_or_its_own) {
  for (const auto* own : {"v1", "apps/v1", "rbac.authorization.k8s.io/v1", ""})
    BOOST_TEST(troupe::cli::is_api_of_kubernetes(own), own);
  for (const auto* other : {"kueue.x-k8s.io/v1beta1", "kubeflow.org/v1",
                            ".k8s.io/v1", "batch.volcano.sh/v1alpha1"})
    BOOST_TEST(!troupe::cli::is_api_of_kubernetes(other), other);
}

BOOST_AUTO_TEST_SUITE_END()
