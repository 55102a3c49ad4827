#include "frameworks/di/requests/request_execution.hpp"
#include "tests/frameworks/di/requests/request_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(replica_replacement_test)

using frameworks::di::request_verb;

BOOST_AUTO_TEST_CASE(failed_replicas_are_replaced) {
  request_fixture f;
  auto q = request_fixture::add(2, 1);
  q.collectors.cpus = "3";
  f.ask(q);
  auto failed = f.names_of("collector")[0];
  auto learner = f.names_of("learner")[0];
  f.pods[failed]["spec"]["nodeName"] = "n1";
  f.pods[failed]["metadata"]["annotations"]["note"] = "kept";
  auto r = f.ask(request_fixture::failed({failed}, {learner}));
  BOOST_TEST(r.status == 200);
  BOOST_TEST(r.message == "successfully recreate replicas");
  auto data = json::parse(r.data);
  BOOST_TEST(data["collectors"].size() == 1u);
  BOOST_TEST(data["learners"].size() == 1u);
  BOOST_TEST(f.pods.count(failed) == 0u);
  BOOST_TEST(f.roles() == "collector collector coordinator learner");
  std::string url = data["collectors"][0];
  auto name = url.substr(0, url.find('.'));
  const auto& pod = f.pods.at(name);
  BOOST_TEST(pod["metadata"]["labels"]["pod-name"] == name);
  BOOST_TEST(pod["metadata"]["annotations"]["note"] == "kept");
  BOOST_TEST(!pod["spec"].contains("nodeName"));
  BOOST_TEST(!pod.contains("status"));
  BOOST_TEST(f.variable(name, "KUBERNETES_POD_NAME") == name);
  BOOST_TEST(pod["spec"]["containers"][0]["resources"]["limits"]["cpu"] == "3");

  r = f.ask(request_fixture::failed({name}, {}));
  BOOST_TEST(json::parse(r.data)["learners"] == json{});
}

BOOST_AUTO_TEST_CASE(collectors_are_replaced_before_learners_are_looked_for) {
  struct row {
    const char* collector; ///< "": the first there is.
    const char* learner;
    int status;
    const char* message;
    bool replaced;
  };
  const char* unknown = "pod: default/ghost not exists in cache";
  const row rows[] = {
      {"", "ghost", 404, unknown, true},
      {"ghost", "cp-coordinator", 404, unknown, false},
      {"", "cp-coordinator", 400,
       "cp-coordinator is the coordinator, with which the job ends: it cannot "
       "be replaced",
       false},
  };
  for (const auto& x : rows) {
    request_fixture f;
    f.ask(request_fixture::add(1, 1));
    auto there = f.names_of("collector")[0];
    auto collector = *x.collector == '\0' ? there : x.collector;
    auto r = f.ask(request_fixture::failed(
        {collector}, {f.names_of("learner")[0], x.learner}));
    BOOST_TEST(r.status == x.status);
    BOOST_TEST(r.message == x.message);
    BOOST_TEST(r.pod_unknown == (x.status == 404 && !x.replaced));
    BOOST_TEST((f.names_of("collector")[0] != there) == x.replaced);
    BOOST_TEST(r.data
               == (x.replaced ? replica_data(
                       {f.names_of("collector")[0] + ".default:22270"}, {})
                              : no_replica_data));
  }
}

BOOST_AUTO_TEST_CASE(terminating_pods_ask_and_are_replaced) {
  request_fixture f;
  f.ask(request_fixture::add(1, 1, 20));
  auto collector = f.names_of("collector")[0];
  auto processes = f.names_of("ddp-learner");
  BOOST_REQUIRE(processes.size() == 3u);
  std::string master;
  for (const auto& name : processes)
    if (f.variable(name, "START_RANK") == "0")
      master = name;
  for (const auto& name : {std::string{"cp-coordinator"}, collector, master})
    f.terminate(name);

  auto data = json::parse(f.list());
  BOOST_TEST(data["coordinator"] == "cp-coordinator");
  BOOST_TEST(data["collectors"] == json::array());
  auto all = request_fixture::request(request_verb::list);
  all.coordinator = "";
  BOOST_TEST(json::parse(f.ask(all).data)["coordinator"] == "cp-coordinator");

  auto r = f.ask(request_fixture::failed({collector}, processes));
  BOOST_TEST(r.status == 200, r.message);
  BOOST_TEST(json::parse(r.data)["learners"].size() == 3u);
  BOOST_TEST(f.roles()
             == "aggregator collector coordinator ddp-learner ddp-learner "
                "ddp-learner");
  std::string now;
  for (const auto& name : f.names_of("ddp-learner")) {
    BOOST_TEST(!f.pods.at(name)["metadata"].contains("deletionTimestamp"));
    if (f.variable(name, "START_RANK") == "0")
      now = name;
  }
  for (const auto& name : f.names_of("ddp-learner"))
    BOOST_TEST(f.variable(name, "MASTER_ADDR")
               == (name == now ? "localhost" : now));
}

// The watch may be late: the pod is read, and then its metadata is of a pod
// that is no longer the job's, or that has only its name.
BOOST_AUTO_TEST_CASE(what_is_no_longer_the_jobs_is_not_replaced) {
  for (const json& change :
       {json{{"ownerReferences", json::array()}}, json{{"uid", "another"}}}) {
    request_fixture f;
    f.ask(request_fixture::add(1, 0));
    auto failed = f.names_of("collector")[0];
    f.pods[failed]["metadata"].update(change);
    auto before = f.log;
    auto r = f.ask(request_fixture::failed({failed}, {}));
    BOOST_TEST(r.status == 404);
    BOOST_TEST(r.message == "pod: default/" + failed + " not exists in cache");
    BOOST_TEST(f.log == before, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(a_failed_aggregator_gets_new_processes) {
  request_fixture f;
  auto q = request_fixture::add(0, 1, 10);
  q.learners.memory = "1Gi";
  f.ask(q);
  auto old = f.names_of("ddp-learner");
  auto r = f.ask(request_fixture::failed({}, {f.names_of("aggregator")[0]}));
  BOOST_TEST(r.status == 200, r.message);
  BOOST_TEST(f.roles() == "aggregator coordinator ddp-learner ddp-learner");
  for (const auto& name : f.names_of("ddp-learner")) {
    BOOST_TEST(std::count(old.begin(), old.end(), name) == 0);
    BOOST_TEST(f.variable(name, "WORLD_SIZE") == "10");
    BOOST_TEST(
        f.pods.at(
            name)["spec"]["containers"][0]["resources"]["limits"]["memory"]
        == "1Gi");
    BOOST_TEST(f.pods.at(name)["metadata"]["ownerReferences"][1]["name"]
               == f.names_of("aggregator")[0]);
  }
}

BOOST_AUTO_TEST_CASE(an_aggregator_without_processes_is_not_replaced) {
  request_fixture f;
  f.ask(request_fixture::add(0, 1, 2));
  auto aggregator = f.names_of("aggregator")[0];
  f.ask(request_fixture::failed({}, f.names_of("ddp-learner")));
  BOOST_TEST(f.roles() == "aggregator coordinator ddp-learner");
  f.nodes.clear();
  f.pods[f.names_of("ddp-learner")[0]]["spec"]["containers"][0].erase("env");
  auto r = f.ask(request_fixture::failed({}, {aggregator}));
  BOOST_TEST(r.status == 400);
  BOOST_TEST(r.message
             == aggregator
                    + " has no ddp learner left that tells how many GPUs it "
                      "had; delete the learner and add another");
}

BOOST_AUTO_TEST_CASE(workers_follow_their_new_master) {
  request_fixture f;
  f.ask(request_fixture::add(0, 1, 20));
  auto names = f.names_of("ddp-learner");
  BOOST_REQUIRE(names.size() == 3u);
  std::string worker;
  std::string master;
  for (const auto& name : names)
    (f.variable(name, "START_RANK") == "0" ? master : worker) = name;

  auto r = f.ask(request_fixture::failed({}, {worker}));
  BOOST_TEST(r.status == 200, r.message);
  BOOST_TEST(f.pods.count(master) == 1u);
  BOOST_TEST(f.pods.count(worker) == 0u);

  r = f.ask(request_fixture::failed({}, {master}));
  BOOST_TEST(r.status == 200, r.message);
  BOOST_TEST(json::parse(r.data)["learners"].size() == 1u);
  names = f.names_of("ddp-learner");
  BOOST_TEST(names.size() == 3u);
  std::string now;
  for (const auto& name : names)
    if (f.variable(name, "START_RANK") == "0")
      now = name;
  BOOST_TEST(now != master);
  for (const auto& name : names)
    BOOST_TEST(f.variable(name, "MASTER_ADDR")
               == (name == now ? "localhost" : now));
}

BOOST_AUTO_TEST_SUITE_END()
