#include "tests/actors/cluster_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(operator_test)

namespace {

/// With TFJobs.
struct tf_job_fixture : cluster_fixture {
  void make_job(int workers, int servers = 0, json policy = json::object(),
                const char* restart = "Never",
                const std::string& name = "job") {
    json specs;
    auto ask_for = [&](const char* type, int replicas) {
      specs[type] = replica_spec(replicas, "tensorflow");
      specs[type]["restartPolicy"] = restart;
    };
    ask_for("Worker", workers);
    if (servers > 0)
      ask_for("PS", servers);
    make("tfjobs",
         manifest_of("TFJob",
                     {{"tfReplicaSpecs", specs}, {"runPolicy", policy}},
                     name.c_str()));
  }

  void edit(const std::function<void(json&)>& spec) {
    api->change("tfjobs", "ns/job", [&](json& j) { spec(j["spec"]); });
    op.run_until_idle();
  }

  const json& job() { return *api->find("tfjobs", "ns/job"); }

  std::string condition(const std::string& type) {
    return cluster_fixture::condition("tfjobs", type);
  }

  /// How many there are, whatever their counts.
  std::size_t events(const std::string& reason) {
    op.advance(1s); // Events go last.
    std::size_t n = 0;
    for (const auto& [key, e] : api->all("events"))
      n += e["reason"] == reason;
    return n;
  }

  int calls(const std::string& what) { return api->calls[what]; }

  /// With those of events.
  int writes() {
    int n = 0;
    for (const auto& [what, times] : api->calls)
      if (what.rfind("list", 0) != 0 && what.rfind("watch", 0) != 0)
        n += times;
    return n;
  }
};

} // namespace

BOOST_AUTO_TEST_CASE(jobs_live_alike_with_several_directories_and_watchers) {
  tf_job_fixture s;
  s.op.options->directories = 4;
  s.op.options->child_watchers = 3;
  s.restart();
  for (int i = 0; i < 12; ++i)
    s.make_job(2, 0, json::object(), "OnFailure", "job-" + std::to_string(i));
  s.make("mpijobs", mpi_job(2));
  BOOST_TEST(s.api->all("pods").size() == 24u + 3u);
  int with_jobs = 0;
  for (const auto& directory : s.reports("directory"))
    with_jobs += directory["jobs"] > 0;
  BOOST_TEST(with_jobs > 1);
  for (bool restarted : {false, true}) {
    if (restarted)
      s.restart();
    auto created = s.calls("create pods");
    s.api->erase("pods", "ns/job-7-worker-1");
    s.op.run_until_idle();
    BOOST_TEST(s.calls("create pods") == created + 1);
    BOOST_TEST(s.api->all("pods").size() == 24u + 3u);
  }
}

BOOST_AUTO_TEST_CASE(a_job_gets_its_pods_and_services_once) {
  tf_job_fixture s;
  s.make_job(2, 1);
  BOOST_TEST(s.count("pods") == 3u);
  BOOST_TEST(s.count("services") == 3u);
  BOOST_TEST(s.calls("create pods") == 3);
  BOOST_TEST(s.calls("create services") == 3);
  BOOST_TEST(s.condition("Created") == "True");
  BOOST_TEST(s.events("SuccessfulCreatePod") == 3u);
}

BOOST_AUTO_TEST_CASE(a_steady_job_costs_no_call) {
  tf_job_fixture s;
  s.make_job(2, 1);
  s.all_pods("Running");
  BOOST_TEST(s.condition("Running") == "True");
  s.op.advance(10s);
  auto before = s.writes();
  s.op.advance(1h);
  BOOST_TEST(s.writes() == before);
}

BOOST_AUTO_TEST_CASE(
    counts_between_changes_of_condition_are_written_once_a_second) {
  tf_job_fixture s;
  s.make_job(20);
  auto before = s.calls("patch tfjobs/status");
  s.all_pods("Running"); // One after the other, all within one second.
  BOOST_TEST(s.calls("patch tfjobs/status") == before + 1);
  s.op.advance(2s);
  BOOST_TEST(s.calls("patch tfjobs/status") == before + 2);
  BOOST_TEST(s.job()["status"]["replicaStatuses"]["Worker"]["active"].get<int>()
             == 20);
}

BOOST_AUTO_TEST_CASE(success_of_worker_0_ends_the_job_and_cleans_up) {
  tf_job_fixture s;
  s.make_job(2, 1, {{"cleanPodPolicy", "Running"}});
  s.all_pods("Running");
  s.set_pod("job-worker-0", "Succeeded");
  BOOST_TEST(s.condition("Succeeded") == "True");
  // The others are being deleted; kubelets have not stopped them yet.
  int deleting = 0;
  for (const auto& [key, p] : s.api->all("pods"))
    deleting += p["metadata"].contains("deletionTimestamp");
  BOOST_TEST(deleting == 2);
  BOOST_TEST(s.events("TFJobSucceeded") == 1u);
}

BOOST_AUTO_TEST_CASE(a_failed_replica_is_replaced_under_on_failure) {
  tf_job_fixture s;
  s.make_job(2, 1, json::object(), "OnFailure");
  s.all_pods("Running");
  auto old = s.api->find("pods", "ns/job-worker-1")->at("metadata").at("uid");
  s.set_pod("job-worker-1", "Failed", 1);
  auto* again = s.api->find("pods", "ns/job-worker-1");
  BOOST_REQUIRE(again);
  BOOST_TEST((again->at("metadata").at("uid") != old));
  BOOST_TEST(s.events("TFJobRestarting") == 1u);
  BOOST_TEST(s.condition("Failed") == "");
}

BOOST_AUTO_TEST_CASE(suspension_removes_and_resumption_makes_again) {
  tf_job_fixture s;
  s.make_job(2);
  s.edit([](json& spec) { spec["runPolicy"]["suspend"] = true; });
  BOOST_TEST(s.count("pods") == 0u);
  BOOST_TEST(s.count("services") == 0u);
  BOOST_TEST(s.condition("Suspended") == "True");
  s.edit([](json& spec) { spec["runPolicy"]["suspend"] = false; });
  BOOST_TEST(s.count("pods") == 2u);
  BOOST_TEST(s.condition("Suspended") == "False");
}

BOOST_AUTO_TEST_CASE(scaling_makes_and_removes_only_the_difference) {
  tf_job_fixture s;
  s.make_job(2);
  s.edit([](json& spec) { spec["tfReplicaSpecs"]["Worker"]["replicas"] = 4; });
  BOOST_TEST(s.calls("create pods") == 4);
  s.edit([](json& spec) { spec["tfReplicaSpecs"]["Worker"]["replicas"] = 1; });
  BOOST_TEST(s.count("pods") == 1u);
  BOOST_TEST(s.count("services") == 1u);
  BOOST_TEST(s.calls("delete pods") == 3);
}

BOOST_AUTO_TEST_CASE(a_restarted_operator_creates_nothing_that_exists) {
  tf_job_fixture s;
  s.make_job(2, 1);
  s.all_pods("Running");
  s.op.advance(5s);
  auto before = s.writes();
  s.restart();
  s.op.advance(10s);
  BOOST_TEST(s.writes() == before);
  BOOST_TEST(*s.op.ready);
}

BOOST_AUTO_TEST_CASE(an_orphan_with_the_jobs_labels_is_adopted) {
  tf_job_fixture s;
  s.make_job(1);
  auto pod = *s.api->find("pods", "ns/job-worker-0");
  s.op.stop();
  s.api->drop_pending(0);
  s.api->change("pods", "ns/job-worker-0",
                [](json& p) { p["metadata"].erase("ownerReferences"); });
  s.op.start();
  s.op.run_until_idle();
  auto owners = s.api->find("pods", "ns/job-worker-0")
                    ->at("metadata")
                    .value("ownerReferences", json::array());
  BOOST_REQUIRE(owners.size() == 1u);
  BOOST_TEST(owners[0]["uid"] == s.job()["metadata"]["uid"]);
  BOOST_TEST(s.calls("create pods") == 1);
}

BOOST_AUTO_TEST_CASE(an_expired_version_causes_a_new_list) {
  tf_job_fixture s;
  s.make_job(2);
  s.all_pods("Running");
  s.op.advance(5s);
  auto before = s.writes();
  s.api->erase("pods", "ns/job-worker-1"); // No watch shows it,
  s.api->compact();                        // because the history is dropped.
  s.op.run_until_idle();
  s.op.advance(10s);
  BOOST_TEST(s.count("pods") == 2u);
  BOOST_TEST(s.calls("create pods") == 3);
  BOOST_TEST(s.writes() > before);
}

BOOST_AUTO_TEST_CASE(two_jobs_take_turns_at_the_gateway) {
  tf_job_fixture s;
  auto big = json{{"Worker", replica_spec(500, "tensorflow")}};
  s.api->create("tfjobs", {{"metadata", {{"name", "big"}, {"namespace", "ns"}}},
                           {"spec", {{"tfReplicaSpecs", big}}}});
  auto small = json{{"Worker", replica_spec(1, "tensorflow")}};
  s.api->create("tfjobs",
                {{"metadata", {{"name", "small"}, {"namespace", "ns"}}},
                 {"spec", {{"tfReplicaSpecs", small}}}});
  for (int answered = 0; answered < 200; ++answered) {
    s.api->deliver_all();
    s.op.run_messages();
    if (s.api->find("pods", "ns/small-worker-0"))
      break;
    s.api->answer(0);
  }
  BOOST_TEST((s.api->find("pods", "ns/small-worker-0") != nullptr));
  BOOST_TEST(s.count("pods") < 200u);
}

BOOST_AUTO_TEST_SUITE_END()
