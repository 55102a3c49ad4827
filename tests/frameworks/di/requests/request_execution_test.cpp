#include "frameworks/di/requests/request_execution.hpp"
#include "tests/frameworks/di/requests/request_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(request_execution_test)

namespace {

using frameworks::di::request_verb;

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

} // namespace

BOOST_AUTO_TEST_CASE(replicas_are_added_listed_and_removed) {
  request_fixture f;
  auto r = f.ask(request_fixture::add(2, 1));
  BOOST_TEST(r.status == 200);
  BOOST_TEST(r.message == "successfully create replicas");
  BOOST_TEST(normal(r.data, f)
             == replica_data({"cp-collector-R1.default:22270",
                              "cp-collector-R2.default:22270"},
                             {"cp-learner-R3.default:22271"}));
  BOOST_TEST(f.roles() == "collector collector coordinator learner");
  BOOST_TEST(normal(f.list(), f)
             == replica_data({"cp-collector-R1.default:22270",
                              "cp-collector-R2.default:22270"},
                             {"cp-learner-R3.default:22271"}));

  r = f.ask(request_fixture::remove(5, 5));
  BOOST_TEST(r.status == 200);
  BOOST_TEST(json::parse(r.data)["collectors"].size() == 2u);
  BOOST_TEST(json::parse(r.data)["learners"].size() == 1u);
  BOOST_TEST(f.roles() == "coordinator");
  BOOST_TEST(f.list() == replica_data(json::array(), json::array()));
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
             == replica_data({"cp-collector-R1.default:22270"}, nullptr));
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
    BOOST_TEST(r.data == replica_data(json::array(), json::array()));
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
       "DIJob: default/cp has no learners: add spec.learner to it",
       no_replica_data},
      {unknown, 404, "pod: default/cp-collector-7x2bq not exists in cache",
       no_replica_data},
      {unknown_list, 404, "pod: default/cp-collector-7x2bq not exists in cache",
       "null"},
      {request_fixture::failed({"cp-coordinator"}, {}), 400,
       "cp-coordinator is the coordinator, with which the job ends: it cannot "
       "be replaced",
       no_replica_data},
      {request_fixture::failed({"ghost"}, {}), 404,
       "pod: default/ghost not exists in cache", no_replica_data},
      {stranger, 403,
       "only pods of DIJob: default/cp may ask for its replicas, and none of "
       "them has the address 10.9.9.9; a pod that has ended or shares the "
       "network of its node is not known by its address: see "
       "--di-server-access",
       no_replica_data},
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

BOOST_AUTO_TEST_CASE(which_addresses_are_those_of_the_job) {
  const struct {
    const char* what;
    json change;
    int status;
  } rows[] = {
      {"runs", {}, 200},
      {"pending", {{"status", {{"phase", "Pending"}}}}, 200},
      {"unknown", {{"status", {{"phase", "Unknown"}}}}, 200},
      {"succeeded", {{"status", {{"phase", "Succeeded"}}}}, 403},
      {"failed", {{"status", {{"phase", "Failed"}}}}, 403},
      {"host", {{"spec", {{"hostNetwork", true}}}}, 403},
      {"own network", {{"spec", {{"hostNetwork", false}}}}, 200},
  };
  for (const auto& x : rows) {
    request_fixture f;
    BOOST_REQUIRE(f.ask(request_fixture::add(1, 0)).status == 200);
    auto name = f.names_of("collector")[0];
    f.pods[name]["status"] = {{"phase", "Running"}, {"podIP", "10.0.0.7"}};
    f.change(name, x.change);
    auto q = request_fixture::remove(0, 0);
    q.source = "10.0.0.7";
    BOOST_TEST(f.ask(q).status == x.status, x.what);
  }
}

BOOST_AUTO_TEST_CASE(a_job_that_has_ended_gets_no_more_replicas) {
  auto ask_all = [](request_fixture& f) {
    auto collector = f.names_of("collector")[0];
    std::string statuses;
    for (const auto& q :
         {request_fixture::add(1, 0), request_fixture::add(0, 1, 4),
          request_fixture::failed({collector}, {}),
          request_fixture::request(di::request_verb::list),
          request_fixture::remove(1, 0)})
      statuses += std::to_string(f.ask(q).status) + " ";
    return statuses;
  };
  request_fixture runs;
  BOOST_REQUIRE(runs.ask(request_fixture::add(1, 0)).status == 200);
  BOOST_TEST(ask_all(runs) == "200 200 200 200 200 ");
  request_fixture saved;
  BOOST_REQUIRE(saved.ask(request_fixture::add(1, 0)).status == 200);
  saved.has_finished = true;
  BOOST_TEST(ask_all(saved) == "409 409 409 200 200 ");
  for (const char* phase : {"Succeeded", "Failed"}) {
    request_fixture f; // Its status is not saved yet.
    BOOST_REQUIRE(f.ask(request_fixture::add(1, 0)).status == 200);
    f.set_phase("cp-coordinator", phase);
    BOOST_TEST(ask_all(f) == "409 409 409 200 200 ");
    auto r = f.ask(request_fixture::add(1, 0));
    BOOST_TEST(r.message
               == "DIJob: default/cp has ended: nobody would end what is "
                  "created for it now");
    BOOST_TEST(r.data == no_replica_data);
  }
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
