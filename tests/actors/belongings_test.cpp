#include "tests/actors/story.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

// What jobs have beside pods and services, from creation to removal.

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

namespace {

json mpi_job(int workers) {
  return job_of("MPIJob", {{"mpiReplicaSpecs",
                            {{"Launcher", replica(1, "mpi")},
                             {"Worker", replica(workers, "mpi")}}}});
}

json elastic_job() {
  return job_of("PyTorchJob",
                {{"pytorchReplicaSpecs", {{"Worker", replica(2, "pytorch")}}},
                 {"elasticPolicy",
                  {{"minReplicas", 1},
                   {"maxReplicas", 3},
                   {"metrics", json::array({{{"type", "Pods"}}})}}}},
                "elastic");
}

const std::vector<std::string> mpi_parts{"configmaps", "serviceaccounts",
                                         "roles", "rolebindings"};

std::string host_file(story& s) {
  return s.get("configmaps", "job-config")["data"]["hostfile"];
}

} // namespace

BOOST_AUTO_TEST_CASE(belongings_are_there_before_the_first_pod) {
  story s;
  std::vector<std::string> made;
  s.api->on_write = [&](const k8s::request& r, const std::string& plural,
                        const std::string&, const json&) {
    if (r.what == k8s::verb::create)
      made.push_back(plural);
  };
  s.make("mpijobs", mpi_job(2));
  auto first_pod = std::find(made.begin(), made.end(), "pods");
  BOOST_TEST((first_pod != made.end()));
  for (const auto& part : mpi_parts) {
    BOOST_TEST(std::count(made.begin(), first_pod, part) == 1, part);
    BOOST_TEST(std::count(made.begin(), made.end(), part) == 1, part);
  }
  BOOST_TEST(s.count("pods") == 3u);
}

BOOST_AUTO_TEST_CASE(pods_wait_for_belongings_that_are_refused) {
  story s;
  s.api->create("mpijobs", mpi_job(2));
  s.api->deliver_all();
  s.on.settle_messages();
  // The server fails whatever is asked for a while.
  for (int i = 0; i < 20; ++i) {
    while (!s.api->pending().empty())
      s.api->answer(0, fate::broken);
    s.on.settle_messages();
  }
  BOOST_TEST(s.api->calls["create pods"] == 0);
  BOOST_TEST(s.count("configmaps") == 0u);
  s.on.advance(2min);
  BOOST_TEST(s.count("pods") == 3u);
  for (const auto& part : mpi_parts)
    BOOST_TEST(s.count(part) == 1u, part);
}

BOOST_AUTO_TEST_CASE(a_lost_answer_makes_no_second_belonging) {
  story s;
  s.api->create("mpijobs", mpi_job(2));
  s.api->deliver_all();
  s.on.settle_messages();
  while (!s.api->pending().empty())
    s.api->answer(0, fate::lost_answer);
  s.on.advance(1min);
  BOOST_TEST(s.count("pods") == 3u);
  for (const auto& part : mpi_parts)
    BOOST_TEST(s.api->calls["create " + part] == 1, part);
}

BOOST_AUTO_TEST_CASE(a_strangers_object_holds_the_pods_until_it_goes) {
  story s;
  s.api->create("configmaps",
                {{"metadata", {{"name", "job-config"}, {"namespace", "ns"}}},
                 {"data", {{"theirs", "yes"}}}});
  s.make("mpijobs", mpi_job(1));
  s.on.advance(1min);
  BOOST_TEST(s.count("pods") == 0u);
  BOOST_TEST(s.events("ErrResourceExists") > 0u);
  BOOST_TEST(s.get("configmaps", "job-config")["data"].contains("theirs"));
  s.api->erase("configmaps", "ns/job-config");
  s.on.advance(20min); // It asks ever less often.
  BOOST_TEST(s.count("pods") == 2u);
  BOOST_TEST(host_file(s) == "job-worker-0 slots=1\n");
}

BOOST_AUTO_TEST_CASE(what_is_overwritten_is_corrected_by_one_call) {
  story s;
  s.make("mpijobs", mpi_job(2));
  auto before = s.writes();
  s.change("configmaps", "job-config",
           [](json& c) { c["data"]["hostfile"] = "elsewhere\n"; });
  BOOST_TEST(host_file(s) == "job-worker-0 slots=1\njob-worker-1 slots=1\n");
  s.change("roles", "job-launcher",
           [](json& r) { r["rules"] = json::array(); });
  BOOST_TEST(s.get("roles", "job-launcher")["rules"].size() == 2u);
  s.on.advance(1h);
  BOOST_TEST(s.writes() == before + 2);
}

BOOST_AUTO_TEST_CASE(what_is_deleted_is_made_anew) {
  story s;
  s.make("mpijobs", mpi_job(2));
  for (const auto& part : mpi_parts) {
    auto key = s.api->all(part).begin()->first;
    s.api->erase(part, key);
    s.on.settle();
    BOOST_TEST(s.count(part) == 1u, part);
    BOOST_TEST(s.api->calls["create " + part] == 2, part);
  }
  BOOST_TEST(s.api->calls["create pods"] == 3);
}

BOOST_AUTO_TEST_CASE(files_follow_the_workers_that_run) {
  story s;
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
  story s;
  s.make("mpijobs", mpi_job(2));
  s.make("pytorchjobs", elastic_job());
  BOOST_TEST(s.count("horizontalpodautoscalers") == 1u);
  s.on.advance(5s);
  s.on.end();
  s.api->drop_pending(0);
  auto before = s.writes();
  s.on.begin();
  s.on.settle();
  s.on.advance(10s);
  BOOST_TEST(s.writes() == before);
}

BOOST_AUTO_TEST_CASE(an_autoscaler_comes_and_goes_with_its_metrics) {
  story s;
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
  story s;
  s.make("mpijobs", mpi_job(2));
  s.make("pytorchjobs", elastic_job());
  for (auto [plural, name] :
       {std::pair{"mpijobs", "job"}, std::pair{"pytorchjobs", "elastic"}})
    s.change(plural, name,
             [](json& j) { j["spec"]["runPolicy"]["suspend"] = true; });
  BOOST_TEST(s.count("pods") == 0u);
  BOOST_TEST(s.count("horizontalpodautoscalers") == 0u);
  for (const auto& part : mpi_parts)
    BOOST_TEST(s.count(part) == 1u, part);
}
