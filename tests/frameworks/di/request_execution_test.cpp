#include "frameworks/di/request_execution.hpp"
#include "tests/frameworks/di/replica_world.hpp"

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
std::string normal(std::string data, const replica_world& w) {
  int n = 0;
  for (std::size_t at = 0; at < data.size(); ++at)
    for (const auto& [name, pod] : w.pods)
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
  replica_world w;
  auto r = w.ask(replica_world::add(2, 1));
  BOOST_TEST(r.status == 200);
  BOOST_TEST(r.message == "successfully create replicas");
  BOOST_TEST(normal(r.data, w)
             == data_of({"cp-collector-R1.default:22270",
                         "cp-collector-R2.default:22270"},
                        {"cp-learner-R3.default:22271"}));
  BOOST_TEST(w.roles() == "collector collector coordinator learner");
  BOOST_TEST(normal(w.list(), w)
             == data_of({"cp-collector-R1.default:22270",
                         "cp-collector-R2.default:22270"},
                        {"cp-learner-R3.default:22271"}));

  r = w.ask(replica_world::remove(5, 5));
  BOOST_TEST(r.status == 200);
  BOOST_TEST(json::parse(r.data)["collectors"].size() == 2u);
  BOOST_TEST(json::parse(r.data)["learners"].size() == 1u);
  BOOST_TEST(w.roles() == "coordinator");
  BOOST_TEST(w.list() == data_of(json::array(), json::array()));
}

BOOST_AUTO_TEST_CASE(amounts_go_into_the_main_container) {
  replica_world w;
  auto q = replica_world::add(1, 1, 1);
  q.collectors.cpus = "500m";
  q.collectors.memory = "200Mi";
  w.ask(q);
  auto resources = [&](const char* role) {
    return w.pods.at(w.names_of(role)[0])["spec"]["containers"][0]["resources"];
  };
  json collector{{"cpu", "500m"}, {"memory", "200Mi"}};
  json learner{{"nvidia.com/gpu", "1"}};
  BOOST_TEST(resources("collector")
             == json({{"limits", collector}, {"requests", collector}}));
  BOOST_TEST(resources("learner")
             == json({{"limits", learner}, {"requests", learner}}));
  BOOST_TEST(w.roles() == "collector coordinator learner");
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
    replica_world w;
    auto r = w.ask(replica_world::add(0, x.replicas, x.gpus));
    BOOST_TEST(r.status == 200, r.message);
    BOOST_TEST(w.roles() == x.roles);
    BOOST_TEST(json::parse(r.data)["collectors"] == json::array());
    if (x.processes == 0)
      continue;
    auto aggregator = w.names_of("aggregator")[0];
    auto q = replica_world::request(request_verb::list);
    q.coordinator = "";
    q.aggregator = aggregator;
    auto data = json::parse(w.ask(q).data);
    BOOST_TEST(data["coordinator"] == aggregator);
    BOOST_TEST(data["collectors"] == json{});
    BOOST_TEST(data["learners"].size() == x.processes);
  }
}

BOOST_AUTO_TEST_CASE(ddp_learners_know_each_other) {
  replica_world w;
  auto q = replica_world::add(0, 1, 10);
  q.learners.cpus = "16";
  w.ask(q);
  auto names = w.names_of("ddp-learner");
  BOOST_REQUIRE(names.size() == 2u);
  bool first = w.variable(names[0], "START_RANK") == "0";
  auto master = names[first ? 0 : 1];
  auto worker = names[first ? 1 : 0];
  BOOST_TEST(w.variable(master, "WORLD_SIZE") == "10");
  BOOST_TEST(w.variable(master, "LOCAL_WORLD_SIZE") == "8");
  BOOST_TEST(w.variable(master, "MASTER_ADDR") == "localhost");
  BOOST_TEST(w.variable(worker, "LOCAL_WORLD_SIZE") == "2");
  BOOST_TEST(w.variable(worker, "START_RANK") == "8");
  BOOST_TEST(w.variable(worker, "MASTER_ADDR") == master);
  BOOST_TEST(w.variable(worker, "MASTER_PORT") == "10314");
  const auto& m = w.pods.at(master);
  BOOST_TEST(m["metadata"]["labels"]["ddp-learner-type"]
             == "ddp-learner-master");
  const auto& ports = m["spec"]["containers"][0]["ports"];
  BOOST_TEST(ports.size() == 9u); // Eight processes, and master-port.
  BOOST_TEST(ports[8]
             == json({{"name", "master-port"}, {"containerPort", 10314}}));
  const auto& owner = m["metadata"]["ownerReferences"][1];
  BOOST_TEST(owner["name"] == w.names_of("aggregator")[0]);
  BOOST_TEST(owner["uid"]
             == w.pods.at(w.names_of("aggregator")[0])["metadata"]["uid"]);
  BOOST_TEST(owner["controller"] == false);
}

BOOST_AUTO_TEST_CASE(the_first_error_decides_and_what_was_done_is_told) {
  replica_world w;
  int collectors = 0;
  w.refuse = [&](const std::string& order) -> std::optional<k8s::failure> {
    if (order.rfind("create cp-collector", 0) == 0 && ++collectors > 1)
      return k8s::failure{k8s::ec::forbidden, "exceeded quota"};
    return std::nullopt;
  };
  auto r = w.ask(replica_world::add(30, 1));
  BOOST_TEST(r.status == 500);
  BOOST_TEST(r.message == "exceeded quota");
  BOOST_TEST(normal(r.data, w)
             == data_of({"cp-collector-R1.default:22270"}, nullptr));
  BOOST_TEST(w.roles() == "collector coordinator");
  BOOST_TEST(w.most_at_once <= 16u);
}

BOOST_AUTO_TEST_CASE(no_part_of_a_learner_is_left) {
  for (int failing : {1, 2}) {
    replica_world w;
    int created = 0;
    w.refuse = [&](const std::string& order) -> std::optional<k8s::failure> {
      if (order.rfind("create cp-ddp", 0) == 0 && ++created == failing)
        return k8s::failure{k8s::ec::forbidden, "exceeded quota"};
      return std::nullopt;
    };
    auto r = w.ask(replica_world::add(0, 1, 10));
    BOOST_TEST(r.status == 500);
    BOOST_TEST(r.data == data_of(json::array(), json::array()));
    BOOST_TEST(w.roles() == "coordinator");
    BOOST_TEST(w.log.back().rfind("delete cp-aggregator", 0) == 0u);
  }
}

BOOST_AUTO_TEST_CASE(a_taken_name_is_drawn_again) {
  replica_world w;
  int tries = 0;
  w.refuse = [&](const std::string&) -> std::optional<k8s::failure> {
    return ++tries < 3 ? std::optional{k8s::failure{k8s::ec::exists, "exists"}}
                       : std::nullopt;
  };
  BOOST_TEST(w.ask(replica_world::add(1, 0)).status == 200);
  BOOST_TEST(tries == 3);

  replica_world full;
  full.refuse = [&](const std::string&) {
    return std::optional{k8s::failure{k8s::ec::exists, "exists"}};
  };
  BOOST_TEST(full.ask(replica_world::add(1, 0)).status == 500);
}

BOOST_AUTO_TEST_CASE(names_of_pods_that_are_seen_are_not_drawn) {
  replica_world w;
  w.random = [] { return 0.5; };
  BOOST_TEST(w.ask(replica_world::add(3, 0)).status == 200);
  BOOST_TEST(w.ask(replica_world::add(3, 0)).status == 200);
  BOOST_TEST(w.names_of("collector").size() == 6u);
}

BOOST_AUTO_TEST_CASE(replicas_that_are_missed_least_go_first) {
  replica_world w;
  w.ask(replica_world::add(4, 0));
  auto names = w.names_of("collector");
  w.set_phase(names[0], "Running");
  w.set_phase(names[1], "Running");
  w.set_phase(names[2], "Failed");
  w.ask(replica_world::remove(1, 0));
  BOOST_TEST(w.pods.count(names[2]) == 0u);
  w.ask(replica_world::remove(1, 0));
  BOOST_TEST(w.pods.count(names[3]) == 0u);
  BOOST_TEST(w.names_of("collector").size() == 2u);
}

BOOST_AUTO_TEST_CASE(processes_go_before_their_aggregator) {
  replica_world w;
  w.ask(replica_world::add(0, 1));
  w.ask(replica_world::add(0, 1, 10));
  w.log.clear();
  auto r = w.ask(replica_world::remove(0, 3));
  BOOST_TEST(json::parse(r.data)["learners"].size() == 2u);
  BOOST_TEST(w.roles() == "coordinator");
  BOOST_TEST(w.log.back().rfind("delete cp-aggregator", 0) == 0u);
}

BOOST_AUTO_TEST_CASE(failed_replicas_are_replaced) {
  replica_world w;
  auto q = replica_world::add(2, 1);
  q.collectors.cpus = "3";
  w.ask(q);
  auto failed = w.names_of("collector")[0];
  auto learner = w.names_of("learner")[0];
  w.pods[failed]["spec"]["nodeName"] = "n1";
  w.pods[failed]["metadata"]["annotations"]["note"] = "kept";
  auto r = w.ask(replica_world::failed({failed}, {learner}));
  BOOST_TEST(r.status == 200);
  BOOST_TEST(r.message == "successfully recreate replicas");
  auto data = json::parse(r.data);
  BOOST_TEST(data["collectors"].size() == 1u);
  BOOST_TEST(data["learners"].size() == 1u);
  BOOST_TEST(w.pods.count(failed) == 0u);
  BOOST_TEST(w.roles() == "collector collector coordinator learner");
  std::string url = data["collectors"][0];
  auto name = url.substr(0, url.find('.'));
  const auto& pod = w.pods.at(name);
  BOOST_TEST(pod["metadata"]["labels"]["pod-name"] == name);
  BOOST_TEST(pod["metadata"]["annotations"]["note"] == "kept");
  BOOST_TEST(!pod["spec"].contains("nodeName"));
  BOOST_TEST(!pod.contains("status"));
  BOOST_TEST(w.variable(name, "KUBERNETES_POD_NAME") == name);
  BOOST_TEST(pod["spec"]["containers"][0]["resources"]["limits"]["cpu"] == "3");

  r = w.ask(replica_world::failed({name}, {}));
  BOOST_TEST(json::parse(r.data)["learners"] == json{});
}

BOOST_AUTO_TEST_CASE(a_failed_aggregator_gets_new_processes) {
  replica_world w;
  auto q = replica_world::add(0, 1, 10);
  q.learners.memory = "1Gi";
  w.ask(q);
  auto old = w.names_of("ddp-learner");
  auto r = w.ask(replica_world::failed({}, {w.names_of("aggregator")[0]}));
  BOOST_TEST(r.status == 200, r.message);
  BOOST_TEST(w.roles() == "aggregator coordinator ddp-learner ddp-learner");
  for (const auto& name : w.names_of("ddp-learner")) {
    BOOST_TEST(std::count(old.begin(), old.end(), name) == 0);
    BOOST_TEST(w.variable(name, "WORLD_SIZE") == "10");
    BOOST_TEST(
        w.pods.at(
            name)["spec"]["containers"][0]["resources"]["limits"]["memory"]
        == "1Gi");
    BOOST_TEST(w.pods.at(name)["metadata"]["ownerReferences"][1]["name"]
               == w.names_of("aggregator")[0]);
  }
}

BOOST_AUTO_TEST_CASE(an_aggregator_without_processes_is_not_replaced) {
  replica_world w;
  w.ask(replica_world::add(0, 1, 2));
  auto aggregator = w.names_of("aggregator")[0];
  w.ask(replica_world::failed({}, w.names_of("ddp-learner")));
  BOOST_TEST(w.roles() == "aggregator coordinator ddp-learner");
  w.nodes.clear();
  w.pods[w.names_of("ddp-learner")[0]]["spec"]["containers"][0].erase("env");
  auto r = w.ask(replica_world::failed({}, {aggregator}));
  BOOST_TEST(r.status == 400);
  BOOST_TEST(r.message
             == aggregator
                    + " has no ddp learner left that tells how many GPUs it "
                      "had; delete the learner and add another");
}

BOOST_AUTO_TEST_CASE(workers_follow_their_new_master) {
  replica_world w;
  w.ask(replica_world::add(0, 1, 20));
  auto names = w.names_of("ddp-learner");
  BOOST_REQUIRE(names.size() == 3u);
  std::string worker;
  std::string master;
  for (const auto& name : names)
    (w.variable(name, "START_RANK") == "0" ? master : worker) = name;

  auto r = w.ask(replica_world::failed({}, {worker}));
  BOOST_TEST(r.status == 200, r.message);
  BOOST_TEST(w.pods.count(master) == 1u);
  BOOST_TEST(w.pods.count(worker) == 0u);

  r = w.ask(replica_world::failed({}, {master}));
  BOOST_TEST(r.status == 200, r.message);
  BOOST_TEST(json::parse(r.data)["learners"].size() == 1u);
  names = w.names_of("ddp-learner");
  BOOST_TEST(names.size() == 3u);
  std::string now;
  for (const auto& name : names)
    if (w.variable(name, "START_RANK") == "0")
      now = name;
  BOOST_TEST(now != master);
  for (const auto& name : names)
    BOOST_TEST(w.variable(name, "MASTER_ADDR")
               == (name == now ? "localhost" : now));
}

BOOST_AUTO_TEST_CASE(what_is_refused) {
  auto only_coordinator = di_spec();
  only_coordinator.erase("learner");
  auto unknown = replica_world::add(1, 0);
  unknown.coordinator = "cp-collector-7x2bq";
  auto unknown_list = replica_world::request(request_verb::list);
  unknown_list.coordinator = "cp-collector-7x2bq";
  auto stranger = replica_world::add(1, 0);
  stranger.source = "10.9.9.9";
  struct row {
    frameworks::di::replica_request what;
    int status;
    std::string message;
    std::string data;
  };
  const row rows[] = {
      {replica_world::add(1, 1), 400,
       "DIJob: default/cp has no learners: add spec.learner to it", nothing},
      {unknown, 404, "pod: default/cp-collector-7x2bq not exists in cache",
       nothing},
      {unknown_list, 404, "pod: default/cp-collector-7x2bq not exists in cache",
       "null"},
      {replica_world::failed({"cp-coordinator"}, {}), 400,
       "cp-coordinator is the coordinator, with which the job ends: it cannot "
       "be replaced",
       nothing},
      {replica_world::failed({"ghost"}, {}), 404,
       "pod: default/ghost not exists in cache", nothing},
      {stranger, 403,
       "only pods of DIJob: default/cp may ask for its replicas, and none of "
       "them has the address 10.9.9.9; see di-server-access",
       nothing},
  };
  for (const auto& x : rows) {
    replica_world w{only_coordinator};
    auto r = w.ask(x.what);
    BOOST_TEST(r.status == x.status);
    BOOST_TEST(r.message == x.message);
    BOOST_TEST(r.data == x.data);
    BOOST_TEST(w.roles() == "coordinator");
  }
  replica_world w;
  auto own = replica_world::add(1, 0);
  own.source = "10.0.0.1";
  BOOST_TEST(w.ask(own).status == 200);
}

BOOST_AUTO_TEST_CASE(what_must_be_read_may_be_missing) {
  replica_world w;
  w.config = nullptr;
  auto r = w.ask(replica_world::add(1, 1, 2));
  BOOST_TEST(r.status == 404);
  BOOST_TEST(r.message
             == "AGConfig: di-system/aggregator-config not exists in cache");
  BOOST_TEST(w.roles() == "coordinator");
  BOOST_TEST(w.ask(replica_world::add(1, 1)).status == 200);

  w.read_failure = k8s::failure{k8s::ec::server_error, "boom"};
  r = w.ask(replica_world::add(0, 1, 2));
  BOOST_TEST(r.status == 500);
  BOOST_TEST(r.message == "boom");

  replica_world empty;
  empty.config = {{"spec", json::object()}};
  r = empty.ask(replica_world::add(0, 1, 2));
  BOOST_TEST(r.status == 500);
  BOOST_TEST(empty.roles() == "coordinator");
}

BOOST_AUTO_TEST_SUITE_END()
