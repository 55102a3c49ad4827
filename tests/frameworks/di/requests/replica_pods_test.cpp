#include "frameworks/di/requests/replica_pods.hpp"

#include <boost/test/unit_test.hpp>

using troupe::k8s::json;

BOOST_AUTO_TEST_SUITE(replica_pods_test)

using namespace troupe::frameworks::di;

namespace {

json old_pod() {
  return json::parse(R"({
    "metadata": {"name": "cp-ddp-learner-bcdfg", "uid": "u",
                 "resourceVersion": "7", "namespace": "default",
                 "creationTimestamp": "2026-01-01T00:00:00Z",
                 "managedFields": [], "annotations": {"a": "b"},
                 "labels": {"replica-type": "ddp-learner",
                            "pod-name": "cp-ddp-learner-bcdfg",
                            "ddp-learner-type": "ddp-learner-master"},
                 "ownerReferences": [{"name": "cp"}]},
    "spec": {"nodeName": "n1", "containers": [
      {"name": "di-container",
       "resources": {"requests": {"cpu": "1", "memory": "2Gi"},
                     "limits": {"cpu": 4}},
       "ports": [{"name": "di-port", "containerPort": 9}],
       "env": [{"name": "KUBERNETES_POD_NAME", "value": "old"},
               {"name": "MASTER_ADDR", "value": "old"},
               {"name": "WORLD_SIZE", "value": "10"}]},
      {"name": "side",
       "env": [{"name": "KUBERNETES_POD_NAME", "value": "old"}]},
      {"name": "plain"}]},
    "status": {"phase": "Failed"}})");
}

} // namespace

BOOST_AUTO_TEST_CASE(a_replacement_is_as_the_old_one) {
  auto made = make_replacement_pod(old_pod(), "new", "master");
  BOOST_TEST(made.port == 9);
  auto wanted = old_pod();
  wanted["apiVersion"] = "v1";
  wanted["kind"] = "Pod";
  wanted.erase("status");
  auto& meta = wanted["metadata"];
  for (const char* field :
       {"uid", "resourceVersion", "creationTimestamp", "managedFields"})
    meta.erase(field);
  meta["name"] = meta["labels"]["pod-name"] = "new";
  wanted["spec"].erase("nodeName");
  auto& containers = wanted["spec"]["containers"];
  containers[0]["env"][0]["value"] = "new";
  containers[0]["env"][1]["value"] = "master";
  containers[1]["env"][0]["value"] = "new";
  BOOST_TEST(json::parse(made.body) == wanted);
}

BOOST_AUTO_TEST_CASE(a_process_tells_what_its_learner_was_asked_for) {
  auto amount = logic_learner_amount_from_pod(old_pod());
  BOOST_TEST(amount.gpu_count == 10);
  BOOST_TEST(amount.cpus == "4");
  BOOST_TEST(amount.memory == "2Gi");
  BOOST_TEST(is_ddp_master(old_pod()));
  for (const char* value : {"", "x", "-1", "1x"}) {
    auto pod = old_pod();
    pod["spec"]["containers"][0]["env"][2]["value"] = value;
    BOOST_TEST(logic_learner_amount_from_pod(pod).gpu_count == 0, value);
  }
  BOOST_TEST(logic_learner_amount_from_pod(json{}).gpu_count == 0);
  BOOST_TEST(!is_ddp_master(json{}));
}

BOOST_AUTO_TEST_SUITE_END()
