#include "actors/cli/missing_controllers.hpp"
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
      {"/apis/batch/v1/namespaces/default/jobs", "batch/v1", "Job"},
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

BOOST_AUTO_TEST_SUITE_END()
