#include "frameworks/core/spec/pod_template.hpp"
#include "frameworks/di/tasks/tasks_pods.hpp"
#include "tests/frameworks/di/tasks/tasks_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
namespace tasks = troupe::frameworks::di::tasks;

BOOST_AUTO_TEST_SUITE(tasks_pods_test)

namespace {

json pod_at(const core::job& j, const char* task, int index,
            const core::cluster_options& cluster = {}) {
  auto pod = core::make_pod_json(j, {task, index}, cluster);
  BOOST_REQUIRE(pod);
  return json::parse(*pod);
}

std::string variable(const json& container, const std::string& name) {
  std::string found = "absent";
  for (const auto& v : container.value("env", json::array()))
    if (v.at("name") == name)
      found = v.at("value");
  return found;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_pod_has_its_place_in_its_metadata) {
  auto spec = tasks_spec();
  auto& given = spec["tasks"][1]["template"];
  given["metadata"] = {{"labels", {{"team", "a"}, {"diengine/job", "other"}}},
                       {"annotations", {{"note", "b"}}}};
  auto pod = pod_at(make_tasks_job(spec), "collector", 1);
  BOOST_TEST(pod.at("metadata")
             == json({{"name", "cp-collector-1"},
                      {"namespace", "default"},
                      {"labels",
                       {{"team", "a"},
                        {"diengine/operator", "di-operator"},
                        {"diengine/job", "cp"},
                        {"diengine/task-type", "collector"},
                        {"diengine/task-name", "collector"},
                        {"diengine/pod", "cp-collector-1"}}},
                      {"annotations",
                       {{"note", "b"},
                        {"diengine/replicas", "3"},
                        {"diengine/rank", "2"},
                        {"diengine/task-rank", "1"},
                        {"diengine/node", ""}}},
                      {"ownerReferences",
                       {{{"apiVersion", "diengine.opendilab.org/v2alpha1"},
                         {"kind", "DIJob"},
                         {"name", "cp"},
                         {"uid", "job-uid"},
                         {"controller", true},
                         {"blockOwnerDeletion", true}}}}}));
  BOOST_TEST(pod.at("spec").at("hostname") == "cp-collector-1");
  BOOST_TEST(pod.at("spec").at("subdomain") == "di-cp");
}

BOOST_AUTO_TEST_CASE(every_container_knows_all_pods) {
  auto spec = tasks_spec();
  spec["volumes"] = json::array({{{"name", "work"}}});
  auto& body = spec["tasks"][0]["template"]["spec"];
  body["containers"].push_back({{"name", "sidecar"}});
  body["initContainers"] = json::array({{{"name", "init"}}});
  body["restartPolicy"] = "Always";
  core::cluster_options cluster;
  cluster.di_server_url = "http://di:1";
  cluster.service_domain = "svc.example";
  auto pod = pod_at(make_tasks_job(spec), "learner", 0, cluster).at("spec");
  BOOST_TEST(pod.at("restartPolicy") == "Never");
  BOOST_TEST(pod.at("volumes") == json::array({{{"name", "work"}}}));
  BOOST_TEST(!pod.at("initContainers")[0].contains("env"));
  for (const auto& c : pod.at("containers")) {
    BOOST_TEST(variable(c, "DI_JOB_ID") == "default/cp");
    BOOST_TEST(variable(c, "DI_SERVER_URL") == "http://di:1");
    BOOST_TEST(variable(c, "DI_RANK") == "0");
    BOOST_TEST(variable(c, "DI_NODES")
               == "cp-learner-0.di-cp.default.svc.example,"
                  "cp-collector-0.di-cp.default.svc.example,"
                  "cp-collector-1.di-cp.default.svc.example");
    BOOST_TEST(variable(c, "DI_LEARNER_NODES")
               == "cp-learner-0.di-cp.default.svc.example");
    BOOST_TEST(variable(c, "DI_COLLECTOR_NODES") == "absent");
  }
}

BOOST_AUTO_TEST_CASE(untyped_tasks_have_lists_of_their_own) {
  auto a = di_task("none");
  a["name"] = "replay-buffer";
  auto b = di_task("none", 2);
  b["name"] = "b";
  auto j = make_tasks_job(tasks_spec({a, b}));
  auto first = pod_at(j, "replay-buffer", 0).at("spec").at("containers")[0];
  auto last = pod_at(j, "b", 1).at("spec").at("containers")[0];
  BOOST_TEST(variable(first, "DI_REPLAY_BUFFER_NODES")
             == "cp-replay-buffer-0.di-cp.default.svc.cluster.local");
  BOOST_TEST(variable(last, "DI_B_NODES")
             == "cp-b-0.di-cp.default.svc.cluster.local,"
                "cp-b-1.di-cp.default.svc.cluster.local");
  BOOST_TEST(variable(last, "DI_RANK") == "2");
}

BOOST_AUTO_TEST_CASE(a_pod_after_early_failures_says_so) {
  auto j = make_tasks_job(tasks_spec());
  auto pod = core::make_pod_json(j, {"learner", 0}, {}, 2);
  BOOST_TEST(json::parse(*pod)
                 .at("metadata")
                 .at("annotations")
                 .at(core::label::early_failures)
             == "2");
}

BOOST_AUTO_TEST_CASE(no_pod_without_task_or_containers) {
  auto spec = tasks_spec();
  spec["tasks"][0].erase("template");
  auto j = make_tasks_job(spec);
  BOOST_TEST(tasks::make_pod(j, {"learner", 0}, {}).error().message
             == "the template of task learner has no spec.containers: Required "
                "value");
  BOOST_TEST(!tasks::make_pod(j, {"evaluator", 0}, {}));
}

BOOST_AUTO_TEST_CASE(the_service_is_headless_and_finds_all_pods) {
  auto service =
      json::parse(tasks::make_service_json(make_tasks_job(tasks_spec())));
  json labels{{"diengine/operator", "di-operator"}, {"diengine/job", "cp"}};
  BOOST_TEST(service.at("metadata").at("name") == "di-cp");
  BOOST_TEST(service.at("metadata").at("labels") == labels);
  BOOST_TEST(service.at("spec")
             == json({{"clusterIP", "None"},
                      {"selector", labels},
                      {"ports", {{{"name", "di-port"}, {"port", 22270}}}}}));
  auto checked = tasks_spec();
  checked["tasks"][0]["template"]["spec"]["readinessGates"] = {
      {{"conditionType", "x/y"}}};
  service = json::parse(tasks::make_service_json(make_tasks_job(checked)));
  BOOST_TEST(service["spec"]["publishNotReadyAddresses"] == true);
}

BOOST_AUTO_TEST_SUITE_END()
