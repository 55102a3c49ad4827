#include "frameworks/di/request_execution.hpp"
#include "tests/frameworks/di/request_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(request_execution_test)

namespace {

using frameworks::di::request_verb;

const std::string nothing =
    R"({"namespace":"","coordinator":"","collectors":null,"learners":null})";

std::string suffix(const std::string& name) {
  return name.substr(name.rfind('-') + 1);
}

/// The data with R1, R2 ... for random suffixes, in order of appearance.
std::string normal(std::string data, const request_fixture& f) {
  int n = 0;
  for (std::size_t at = 0; at < data.size(); ++at)
    for (const auto& [name, pod] : f.pods)
      if (name != "cp-coordinator" && data.compare(at, name.size(), name) == 0)
        data.replace(at + name.size() - suffix(name).size(),
                     suffix(name).size(), "R" + std::to_string(++n));
  return data;
}

std::string data_of(const json& collectors, const json& learners) {
  return R"({"namespace":"default","coordinator":"cp-coordinator","collectors":)"
         + collectors.dump() + R"(,"learners":)" + learners.dump() + "}";
}

} // namespace

BOOST_AUTO_TEST_CASE(replicas_are_added_listed_and_removed) {
  request_fixture f;
  auto r = f.ask(request_fixture::add(2, 1));
  BOOST_TEST(r.status == 200);
  BOOST_TEST(r.message == "successfully create replicas");
  BOOST_TEST(normal(r.data, f)
             == data_of({"cp-collector-R1.default:22270",
                         "cp-collector-R2.default:22270"},
                        {"cp-learner-R3.default:22271"}));
  BOOST_TEST(f.roles() == "collector collector coordinator learner");
  BOOST_TEST(normal(f.list(), f)
             == data_of({"cp-collector-R1.default:22270",
                         "cp-collector-R2.default:22270"},
                        {"cp-learner-R3.default:22271"}));

  r = f.ask(request_fixture::remove(5, 5));
  BOOST_TEST(r.status == 200);
  BOOST_TEST(json::parse(r.data)["collectors"].size() == 2u);
  BOOST_TEST(json::parse(r.data)["learners"].size() == 1u);
  BOOST_TEST(f.roles() == "coordinator");
  BOOST_TEST(f.list() == data_of(json::array(), json::array()));
}

BOOST_AUTO_TEST_CASE(amounts_go_into_the_main_container) {
  request_fixture f;
  auto q = request_fixture::add(1, 1, 1);
  q.collectors.cpus = "500m";
  q.collectors.memory = "200Mi";
  f.ask(q);
  auto resources = [&](const char* role) {
    return f.pods.at(f.names_of(role)[0])["spec"]["containers"][0]["resources"];
  };
  json collector{{"cpu", "500m"}, {"memory", "200Mi"}};
  json learner{{"nvidia.com/gpu", "1"}};
  BOOST_TEST(resources("collector")
             == json({{"limits", collector}, {"requests", collector}}));
  BOOST_TEST(resources("learner")
             == json({{"limits", learner}, {"requests", learner}}));
  BOOST_TEST(f.roles() == "collector coordinator learner");
}

BOOST_AUTO_TEST_CASE(a_learner_with_several_gpus_has_an_aggregator) {
  struct row {
    int replicas;
    int gpus;
    const char* roles;
    std::size_t processes; ///< Of the first aggregator.
  };
  const row rows[] = {
      {1, 1, "coordinator learner", 0},
      {1, 2, "aggregator coordinator ddp-learner", 2},
      {1, 10, "aggregator coordinator ddp-learner ddp-learner", 10},
      {2, 2, "aggregator aggregator coordinator ddp-learner ddp-learner", 2},
  };
  for (const auto& x : rows) {
    request_fixture f;
    auto r = f.ask(request_fixture::add(0, x.replicas, x.gpus));
    BOOST_TEST(r.status == 200, r.message);
    BOOST_TEST(f.roles() == x.roles);
    BOOST_TEST(json::parse(r.data)["collectors"] == json::array());
    if (x.processes == 0)
      continue;
    auto aggregator = f.names_of("aggregator")[0];
    auto q = request_fixture::request(request_verb::list);
    q.coordinator = "";
    q.aggregator = aggregator;
    auto data = json::parse(f.ask(q).data);
    BOOST_TEST(data["coordinator"] == aggregator);
    BOOST_TEST(data["collectors"] == json{});
    BOOST_TEST(data["learners"].size() == x.processes);
  }
}

BOOST_AUTO_TEST_CASE(ddp_learners_know_each_other) {
  request_fixture f;
  auto q = request_fixture::add(0, 1, 10);
  q.learners.cpus = "16";
  f.ask(q);
  auto names = f.names_of("ddp-learner");
  BOOST_REQUIRE(names.size() == 2u);
  bool first = f.variable(names[0], "START_RANK") == "0";
  auto master = names[first ? 0 : 1];
  auto worker = names[first ? 1 : 0];
  BOOST_TEST(f.variable(master, "WORLD_SIZE") == "10");
  BOOST_TEST(f.variable(master, "LOCAL_WORLD_SIZE") == "8");
  BOOST_TEST(f.variable(master, "MASTER_ADDR") == "localhost");
  BOOST_TEST(f.variable(worker, "LOCAL_WORLD_SIZE") == "2");
  BOOST_TEST(f.variable(worker, "START_RANK") == "8");
  BOOST_TEST(f.variable(worker, "MASTER_ADDR") == master);
  BOOST_TEST(f.variable(worker, "MASTER_PORT") == "10314");
  const auto& m = f.pods.at(master);
  BOOST_TEST(m["metadata"]["labels"]["ddp-learner-type"]
             == "ddp-learner-master");
  const auto& ports = m["spec"]["containers"][0]["ports"];
  BOOST_TEST(ports.size() == 9u); // Eight processes, and master-port.
  BOOST_TEST(ports[8]
             == json({{"name", "master-port"}, {"containerPort", 10314}}));
  const auto& owner = m["metadata"]["ownerReferences"][1];
  BOOST_TEST(owner["name"] == f.names_of("aggregator")[0]);
  BOOST_TEST(owner["uid"]
             == f.pods.at(f.names_of("aggregator")[0])["metadata"]["uid"]);
  BOOST_TEST(owner["controller"] == false);
}

BOOST_AUTO_TEST_CASE(the_first_error_decides_and_what_was_done_is_told) {
  request_fixture f;
  int collectors = 0;
  f.refuse = [&](const std::string& order) -> std::optional<k8s::failure> {
    if (order.rfind("create cp-collector", 0) == 0 && ++collectors > 1)
      return k8s::failure{k8s::ec::forbidden, "exceeded quota"};
    return std::nullopt;
  };
  auto r = f.ask(request_fixture::add(30, 1));
  BOOST_TEST(r.status == 500);
  BOOST_TEST(r.message == "exceeded quota");
  BOOST_TEST(normal(r.data, f)
             == data_of({"cp-collector-R1.default:22270"}, nullptr));
  BOOST_TEST(f.roles() == "collector coordinator");
  BOOST_TEST(f.most_at_once <= 16u);
}

BOOST_AUTO_TEST_CASE(no_part_of_a_learner_is_left) {
  for (int failing : {1, 2}) {
    request_fixture f;
    int created = 0;
    f.refuse = [&](const std::string& order) -> std::optional<k8s::failure> {
      if (order.rfind("create cp-ddp", 0) == 0 && ++created == failing)
        return k8s::failure{k8s::ec::forbidden, "exceeded quota"};
      return std::nullopt;
    };
    auto r = f.ask(request_fixture::add(0, 1, 10));
    BOOST_TEST(r.status == 500);
    BOOST_TEST(r.data == data_of(json::array(), json::array()));
    BOOST_TEST(f.roles() == "coordinator");
    BOOST_TEST(f.log.back().rfind("delete cp-aggregator", 0) == 0u);
  }
}

BOOST_AUTO_TEST_CASE(what_cannot_be_completed_is_deleted_as_often_as_needed) {
  const struct {
    k8s::ec why;
    int failures; ///< Of deletions.
    int tries;    ///< Of these, with the last one.
    const char* left;
  } rows[] = {{k8s::ec::server_error, 1, 2, "coordinator"},
              {k8s::ec::timeout, 4, 5, "coordinator"},
              {k8s::ec::server_error, 5, 5, "aggregator coordinator"},
              {k8s::ec::forbidden, 1, 1, "aggregator coordinator"}};
  for (const auto& row : rows) {
    request_fixture f;
    int deletions = 0;
    f.refuse = [&](const std::string& order) -> std::optional<k8s::failure> {
      if (order.rfind("create cp-ddp", 0) == 0)
        return k8s::failure{k8s::ec::forbidden, "exceeded quota"};
      if (order.rfind("delete ", 0) == 0 && ++deletions <= row.failures)
        return k8s::failure{row.why, "not now"};
      return std::nullopt;
    };
    auto r = f.ask(request_fixture::add(0, 1, 10));
    BOOST_TEST(r.status == 500);
    BOOST_TEST(r.message == "exceeded quota");
    BOOST_TEST(f.roles() == row.left);
    BOOST_TEST(deletions == row.tries);
  }
}

BOOST_AUTO_TEST_CASE(a_taken_name_is_drawn_again) {
  request_fixture f;
  int tries = 0;
  f.refuse = [&](const std::string&) -> std::optional<k8s::failure> {
    return ++tries < 3 ? std::optional{k8s::failure{k8s::ec::exists, "exists"}}
                       : std::nullopt;
  };
  BOOST_TEST(f.ask(request_fixture::add(1, 0)).status == 200);
  BOOST_TEST(tries == 3);

  request_fixture full;
  full.refuse = [&](const std::string&) {
    return std::optional{k8s::failure{k8s::ec::exists, "exists"}};
  };
  BOOST_TEST(full.ask(request_fixture::add(1, 0)).status == 500);
}

BOOST_AUTO_TEST_CASE(names_of_pods_that_are_seen_are_not_drawn) {
  request_fixture f;
  f.random = [] { return 0.5; };
  BOOST_TEST(f.ask(request_fixture::add(3, 0)).status == 200);
  BOOST_TEST(f.ask(request_fixture::add(3, 0)).status == 200);
  BOOST_TEST(f.names_of("collector").size() == 6u);
}

BOOST_AUTO_TEST_CASE(replicas_that_are_missed_least_go_first) {
  request_fixture f;
  f.ask(request_fixture::add(4, 0));
  auto names = f.names_of("collector");
  f.set_phase(names[0], "Running");
  f.set_phase(names[1], "Running");
  f.set_phase(names[2], "Failed");
  f.ask(request_fixture::remove(1, 0));
  BOOST_TEST(f.pods.count(names[2]) == 0u);
  f.ask(request_fixture::remove(1, 0));
  BOOST_TEST(f.pods.count(names[3]) == 0u);
  BOOST_TEST(f.names_of("collector").size() == 2u);
}

BOOST_AUTO_TEST_CASE(processes_go_before_their_aggregator) {
  request_fixture f;
  f.ask(request_fixture::add(0, 1));
  f.ask(request_fixture::add(0, 1, 10));
  f.log.clear();
  auto r = f.ask(request_fixture::remove(0, 3));
  BOOST_TEST(json::parse(r.data)["learners"].size() == 2u);
  BOOST_TEST(f.roles() == "coordinator");
  BOOST_TEST(f.log.back().rfind("delete cp-aggregator", 0) == 0u);
}

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
               == (x.replaced ? data_of(
                       {f.names_of("collector")[0] + ".default:22270"}, {})
                              : nothing));
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

BOOST_AUTO_TEST_CASE(what_is_refused) {
  auto only_coordinator = di_spec();
  only_coordinator.erase("learner");
  auto unknown = request_fixture::add(1, 0);
  unknown.coordinator = "cp-collector-7x2bq";
  auto unknown_list = request_fixture::request(request_verb::list);
  unknown_list.coordinator = "cp-collector-7x2bq";
  auto stranger = request_fixture::add(1, 0);
  stranger.source = "10.9.9.9";
  struct row {
    frameworks::di::replica_request what;
    int status;
    std::string message;
    std::string data;
  };
  const row rows[] = {
      {request_fixture::add(1, 1), 400,
       "DIJob: default/cp has no learners: add spec.learner to it", nothing},
      {unknown, 404, "pod: default/cp-collector-7x2bq not exists in cache",
       nothing},
      {unknown_list, 404, "pod: default/cp-collector-7x2bq not exists in cache",
       "null"},
      {request_fixture::failed({"cp-coordinator"}, {}), 400,
       "cp-coordinator is the coordinator, with which the job ends: it cannot "
       "be replaced",
       nothing},
      {request_fixture::failed({"ghost"}, {}), 404,
       "pod: default/ghost not exists in cache", nothing},
      {stranger, 403,
       "only pods of DIJob: default/cp may ask for its replicas, and none of "
       "them has the address 10.9.9.9; see di-server-access",
       nothing},
  };
  for (const auto& x : rows) {
    request_fixture f{only_coordinator};
    auto r = f.ask(x.what);
    BOOST_TEST(r.status == x.status);
    BOOST_TEST(r.message == x.message);
    BOOST_TEST(r.data == x.data);
    BOOST_TEST(f.roles() == "coordinator");
  }
  request_fixture f;
  auto own = request_fixture::add(1, 0);
  own.source = "10.0.0.1";
  BOOST_TEST(f.ask(own).status == 200);
}

BOOST_AUTO_TEST_CASE(what_must_be_read_may_be_missing) {
  request_fixture f;
  f.config = nullptr;
  auto r = f.ask(request_fixture::add(1, 1, 2));
  BOOST_TEST(r.status == 404);
  BOOST_TEST(r.message
             == "AGConfig: di-system/aggregator-config not exists in cache");
  BOOST_TEST(f.roles() == "coordinator");
  BOOST_TEST(f.ask(request_fixture::add(1, 1)).status == 200);

  f.read_failure = k8s::failure{k8s::ec::server_error, "boom"};
  r = f.ask(request_fixture::add(0, 1, 2));
  BOOST_TEST(r.status == 500);
  BOOST_TEST(r.message == "boom");

  request_fixture empty;
  empty.config = {{"spec", json::object()}};
  r = empty.ask(request_fixture::add(0, 1, 2));
  BOOST_TEST(r.status == 500);
  BOOST_TEST(empty.roles() == "coordinator");
}

BOOST_AUTO_TEST_SUITE_END()
