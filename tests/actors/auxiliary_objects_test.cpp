#include "tests/actors/cluster_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <set>
#include <string>

// Auxiliary objects of jobs, from creation to removal.

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(auxiliary_objects_test)

namespace {

json elastic_job() {
  return manifest_of(
      "PyTorchJob",
      {{"pytorchReplicaSpecs", {{"Worker", replica_spec(2, "pytorch")}}},
       {"elasticPolicy",
        {{"minReplicas", 1},
         {"maxReplicas", 3},
         {"metrics", json::array({{{"type", "Pods"}}})}}}},
      "elastic");
}

const k8s::failure forbidden{k8s::ec::forbidden, "User is not allowed", {}};

} // namespace

BOOST_AUTO_TEST_CASE(auxiliary_objects_are_created_before_the_first_pod) {
  cluster_fixture s;
  std::vector<std::string> made;
  s.api->on_write = [&](const k8s::request& r, const std::string& plural,
                        const std::string&, const json&) {
    if (r.method == k8s::verb::create)
      made.push_back(plural);
  };
  s.make("mpijobs", mpi_job(2));
  auto first_pod = std::find(made.begin(), made.end(), "pods");
  BOOST_TEST((first_pod != made.end()));
  for (const auto& plural : mpi_resources) {
    BOOST_TEST(std::count(made.begin(), first_pod, plural) == 1, plural);
    BOOST_TEST(std::count(made.begin(), made.end(), plural) == 1, plural);
  }
  BOOST_TEST(s.count("pods") == 3u);
}

BOOST_AUTO_TEST_CASE(pods_wait_for_auxiliary_objects_that_fail) {
  cluster_fixture s;
  s.api->create("mpijobs", mpi_job(2));
  s.api->deliver_all();
  s.op.run_messages();
  // Every call fails for a while.
  for (int i = 0; i < 20; ++i) {
    while (!s.api->pending().empty())
      s.api->answer(0, fault::server_error);
    s.op.run_messages();
  }
  BOOST_TEST(s.api->calls["create pods"] == 0);
  BOOST_TEST(s.count("configmaps") == 0u);
  s.op.advance(2min);
  BOOST_TEST(s.count("pods") == 3u);
  for (const auto& plural : mpi_resources)
    BOOST_TEST(s.count(plural) == 1u, plural);
}

BOOST_AUTO_TEST_CASE(a_lost_answer_makes_no_second_auxiliary_object) {
  cluster_fixture s;
  s.api->create("mpijobs", mpi_job(2));
  s.api->deliver_all();
  s.op.run_messages();
  while (!s.api->pending().empty())
    s.api->answer(0, fault::lost_answer);
  s.op.advance(1min);
  BOOST_TEST(s.count("pods") == 3u);
  for (const auto& plural : mpi_resources)
    BOOST_TEST(s.api->calls["create " + plural] == 1, plural);
}

BOOST_AUTO_TEST_CASE(an_object_of_others_under_the_name_holds_the_pods) {
  cluster_fixture s;
  s.api->create("configmaps",
                {{"metadata", {{"name", "job-config"}, {"namespace", "ns"}}},
                 {"data", {{"theirs", "yes"}}}});
  s.make("mpijobs", mpi_job(1));
  s.op.advance(1min);
  BOOST_TEST(s.count("pods") == 0u);
  BOOST_TEST(s.events("ErrResourceExists") > 0u);
  BOOST_TEST(s.get("configmaps", "job-config")["data"].contains("theirs"));
  s.api->erase("configmaps", "ns/job-config");
  s.op.advance(20min); // The back-off grows.
  BOOST_TEST(s.count("pods") == 2u);
  BOOST_TEST(s.host_file() == "job-worker-0 slots=1\n");
}

BOOST_AUTO_TEST_CASE(what_is_overwritten_is_corrected_by_one_call) {
  cluster_fixture s;
  s.make("mpijobs", mpi_job(2));
  auto before = s.writes();
  s.change("configmaps", "job-config",
           [](json& c) { c["data"]["hostfile"] = "elsewhere\n"; });
  BOOST_TEST(s.host_file() == "job-worker-0 slots=1\njob-worker-1 slots=1\n");
  s.change("roles", "job-launcher", [](json& r) {
    r["rules"] = json::array();
    r["metadata"]["annotations"]["theirs"] = "yes";
    r["metadata"]["ownerReferences"].push_back({{"uid", "another"}});
  });
  const auto& role = s.get("roles", "job-launcher");
  BOOST_TEST(role["rules"].size() == 2u);
  BOOST_TEST(role["metadata"]["annotations"]["theirs"] == "yes");
  BOOST_TEST(role["metadata"]["labels"]["app"] == "job");
  BOOST_TEST(role["metadata"]["ownerReferences"].size() == 2u);
  s.op.advance(1h);
  BOOST_TEST(s.writes() == before + 2);
  // The training operator's role grants no patch of these.
  BOOST_TEST(s.api->calls["update configmaps"] == 1);
  BOOST_TEST(s.api->calls["update roles"] == 1);
}

BOOST_AUTO_TEST_CASE(a_correction_that_comes_too_late_is_decided_anew) {
  cluster_fixture s;
  s.make("mpijobs", mpi_job(2));
  s.api->change("configmaps", "ns/job-config",
                [](json& c) { c["data"]["hostfile"] = "elsewhere\n"; });
  s.api->deliver_all();
  s.op.run_messages();
  s.api->answer(0); // The changed object is read first.
  s.op.run_messages();
  BOOST_TEST_REQUIRE(s.api->pending().size() == 1u);
  s.api->change("configmaps", "ns/job-config",
                [](json& c) { c["data"]["theirs"] = "yes"; });
  s.op.run_until_idle();
  BOOST_TEST(s.api->calls["update configmaps"] == 2);
  BOOST_TEST(s.host_file() == "job-worker-0 slots=1\njob-worker-1 slots=1\n");
  BOOST_TEST(s.get("configmaps", "job-config")["data"]["theirs"] == "yes");
  BOOST_TEST(s.events("FailedUpdateConfigMap") == 0u);
}

BOOST_AUTO_TEST_CASE(a_correction_whose_answer_is_lost_is_not_made_twice) {
  cluster_fixture s;
  s.make("mpijobs", mpi_job(2));
  s.api->change("configmaps", "ns/job-config",
                [](json& c) { c["data"]["hostfile"] = "elsewhere\n"; });
  s.api->deliver_all();
  s.op.run_messages();
  s.api->answer(0); // It is read first.
  s.op.run_messages();
  s.api->answer(0, fault::lost_answer);
  s.op.run_until_idle();
  s.op.advance(1min);
  BOOST_TEST(s.api->calls["update configmaps"] == 1);
  BOOST_TEST(s.host_file() == "job-worker-0 slots=1\njob-worker-1 slots=1\n");
}

BOOST_AUTO_TEST_CASE(a_correction_that_is_refused_is_an_event) {
  cluster_fixture s;
  s.make("mpijobs", mpi_job(2));
  s.api->change("configmaps", "ns/job-config",
                [](json& c) { c["data"]["hostfile"] = "elsewhere\n"; });
  BOOST_TEST(s.run_failing(k8s::verb::update, "configmaps", forbidden) == 1);
  BOOST_TEST(s.events("FailedUpdateConfigMap") == 1u);
  BOOST_TEST(s.host_file() == "elsewhere\n");
  s.op.advance(1min);
  BOOST_TEST(s.host_file() == "job-worker-0 slots=1\njob-worker-1 slots=1\n");
}

BOOST_AUTO_TEST_CASE(a_binding_waits_until_its_role_is_seen) {
  cluster_fixture s;
  s.api->create("mpijobs", mpi_job(1));
  s.api->deliver_all();
  for (int i = 0; i < 20; ++i) {
    s.op.run_messages();
    s.api->answer_all();
  }
  BOOST_TEST(s.count("roles") == 1u);
  BOOST_TEST(s.count("rolebindings") == 0u);
  s.op.run_until_idle();
  BOOST_TEST(s.count("rolebindings") == 1u);
  BOOST_TEST(s.count("pods") == 2u);
}

BOOST_AUTO_TEST_CASE(a_role_that_is_not_found_at_once_is_no_event) {
  struct row {
    int refusals;
    std::size_t events;
  } rows[] = {{1, 0}, {2, 1}};
  for (const auto& r : rows) {
    cluster_fixture s;
    s.api->create("mpijobs", mpi_job(1));
    const k8s::failure not_found_yet{
        k8s::ec::not_found, "roles \"job-launcher\" not found", {}};
    for (int i = 0; i < r.refusals; ++i) {
      BOOST_TEST(s.run_failing(k8s::verb::create, "rolebindings", not_found_yet)
                 == 1);
      s.op.advance_clock(500ms);
    }
    s.op.run_until_idle();
    BOOST_TEST(s.count("rolebindings") == 1u);
    BOOST_TEST(s.count("pods") == 2u);
    BOOST_TEST(s.events("FailedCreateRoleBinding") == r.events);
  }
}

BOOST_AUTO_TEST_CASE(without_the_right_to_list_the_event_says_what_is_known) {
  cluster_fixture s;
  s.api->create("configmaps",
                {{"metadata", {{"name", "job-config"}, {"namespace", "ns"}}}});
  s.api->create("mpijobs", mpi_job(1));
  BOOST_TEST(s.run_failing(k8s::verb::list, "configmaps", forbidden) > 0);
  BOOST_TEST(s.events("FailedCreateConfigMap") == 1u);
  // The watch shows whose it is.
  BOOST_TEST(s.events("ErrResourceExists") > 0u);
  BOOST_TEST(s.api->calls["get configmaps"] == 0);
}

BOOST_AUTO_TEST_CASE(a_service_that_may_not_be_adopted_stays_in_use) {
  cluster_fixture s;
  json labels{{"training.kubeflow.org/operator-name", "tfjob-controller"},
              {"training.kubeflow.org/job-name", "job"},
              {"training.kubeflow.org/replica-type", "worker"},
              {"training.kubeflow.org/replica-index", "0"}};
  s.api->create(
      "services",
      {{"metadata",
        {{"name", "job-worker-0"}, {"namespace", "ns"}, {"labels", labels}}}});
  s.op.run_until_idle();
  s.api->create("tfjobs", tf_job(2));
  int refused = 0;
  for (int i = 0; i < 10; ++i) {
    refused += s.run_failing(k8s::verb::patch, "services", forbidden);
    s.op.advance_clock(1min);
  }
  BOOST_TEST(refused > 1);
  BOOST_TEST(s.count("pods") == 2u);
  BOOST_TEST(s.count("services") == 2u);
  BOOST_TEST(!s.get("services", "job-worker-0")["metadata"].contains(
      "ownerReferences"));
  std::size_t events = 0;
  for (const auto& [key, e] : s.api->all("events"))
    events += e["reason"] == "FailedAdoptService" ? e.value("count", 1u) : 0;
  BOOST_TEST(events == 1u);
}

BOOST_AUTO_TEST_CASE(what_is_deleted_is_created_again) {
  cluster_fixture s;
  s.make("mpijobs", mpi_job(2));
  for (const auto& plural : mpi_resources) {
    auto key = s.api->all(plural).begin()->first;
    s.api->erase(plural, key);
    s.op.run_until_idle();
    BOOST_TEST(s.count(plural) == 1u, plural);
    BOOST_TEST(s.api->calls["create " + plural] == 2, plural);
  }
  BOOST_TEST(s.api->calls["create pods"] == 3);
}

BOOST_AUTO_TEST_CASE(files_follow_the_workers_that_run) {
  cluster_fixture s;
  s.make("mpijobs", mpi_job(2));
  auto script = [&]() -> std::string {
    return s.get("configmaps", "job-config")["data"]["discover_hosts.sh"];
  };
  BOOST_TEST(script() == "#!/bin/sh");
  s.set_pod("job-worker-1", "Running");
  BOOST_TEST(script() == "#!/bin/sh\necho job-worker-1:1");
  s.set_pod("job-worker-0", "Running");
  BOOST_TEST(script() == "#!/bin/sh\necho job-worker-0:1\necho job-worker-1:1");
}

BOOST_AUTO_TEST_CASE(a_restarted_operator_corrects_nothing_that_is_right) {
  cluster_fixture s;
  s.make("mpijobs", mpi_job(2));
  s.make("pytorchjobs", elastic_job());
  BOOST_TEST(s.count("horizontalpodautoscalers") == 1u);
  s.op.advance(5s);
  auto before = s.writes();
  s.restart();
  s.op.advance(10s);
  BOOST_TEST(s.writes() == before);
}

BOOST_AUTO_TEST_CASE(an_autoscaler_comes_and_goes_with_its_metrics) {
  cluster_fixture s;
  s.make("pytorchjobs", elastic_job());
  BOOST_TEST(s.count("horizontalpodautoscalers") == 1u);
  s.change("pytorchjobs", "elastic",
           [](json& j) { j["spec"]["elasticPolicy"]["maxReplicas"] = 7; });
  BOOST_TEST(s.get("horizontalpodautoscalers", "elastic")["spec"]["maxReplicas"]
             == 7);
  s.change("pytorchjobs", "elastic",
           [](json& j) { j["spec"]["elasticPolicy"].erase("metrics"); });
  BOOST_TEST(s.count("horizontalpodautoscalers") == 0u);
  BOOST_TEST(s.count("pods") == 2u);
}

BOOST_AUTO_TEST_CASE(suspension_removes_the_autoscaler_and_leaves_the_files) {
  cluster_fixture s;
  s.make("mpijobs", mpi_job(2));
  s.make("pytorchjobs", elastic_job());
  for (auto [plural, name] :
       {std::pair{"mpijobs", "job"}, std::pair{"pytorchjobs", "elastic"}})
    s.change(plural, name,
             [](json& j) { j["spec"]["runPolicy"]["suspend"] = true; });
  BOOST_TEST(s.count("pods") == 0u);
  BOOST_TEST(s.count("horizontalpodautoscalers") == 0u);
  for (const auto& plural : mpi_resources)
    BOOST_TEST(s.count(plural) == 1u, plural);
}

BOOST_AUTO_TEST_CASE(their_group_is_there_while_it_has_orders) {
  cluster_fixture s;
  auto groups = [&] {
    auto job = s.reports("directory").at(0).at("children").at(0);
    std::set<std::string> types;
    for (const auto& group : job["children"])
      types.insert(group["type"]);
    return types;
  };
  const std::set<std::string> replica_types{"launcher", "worker"};
  s.make("mpijobs", mpi_job(2));
  s.all_pods("Running");
  BOOST_TEST((groups() == replica_types));
  s.change("configmaps", "job-config",
           [](json& m) { m["data"]["hostfile"] = "elsewhere"; });
  BOOST_TEST(s.host_file() != "elsewhere");
  BOOST_TEST((groups() == replica_types));
  s.api->change("configmaps", "ns/job-config",
                [](json& m) { m["data"]["hostfile"] = "elsewhere"; });
  s.api->deliver_all();
  s.op.run_messages();
  BOOST_REQUIRE(s.api->pending().size() == 1u);
  BOOST_TEST(groups().count("auxiliary objects") == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
