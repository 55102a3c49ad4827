#include "tests/actors/cluster_fixture.hpp"

#include <boost/test/unit_test.hpp>

// Jobs whose pods fail: replacements, events, status.

using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(pod_failure_test)

namespace {

json tf_job(const char* policy) {
  json types{{"PS", replica_spec(1, "tensorflow")},
             {"Worker", replica_spec(2, "tensorflow")}};
  for (auto& type : types)
    type["restartPolicy"] = policy;
  return manifest_of("TFJob", {{"tfReplicaSpecs", std::move(types)}});
}

/// A kubelet rejects the pod of this name, if it is pending.
void reject_pod(cluster_fixture& s, const std::string& name) {
  const auto* pod = s.api->find("pods", "ns/" + name);
  if (pod && (*pod)["status"]["phase"] == "Pending")
    s.change("pods", name, [&](json& p) {
      p["status"] = {{"phase", "Failed"},
                     {"reason", "UnexpectedAdmissionError"},
                     {"startTime", s.api->now()}};
    });
}

} // namespace

BOOST_AUTO_TEST_CASE(pods_that_fail_early_are_replaced_with_back_off) {
  struct row {
    std::chrono::seconds restart; // Of the operator; 0: none.
  } rows[] = {{0s}, {3s}, {25s}, {40s}};
  for (const auto& r : rows) {
    cluster_fixture s;
    s.make("tfjobs", tf_job("OnFailure"));
    for (auto t = 0s; t < 200s; t += 1s) {
      reject_pod(s, "job-worker-1");
      if (r.restart > 0s && t == r.restart) {
        s.op.stop();
        s.op.start();
      }
      s.op.advance(1s);
    }
    // Two and one of the others at once, then after 10, 20, 40 and 80 s.
    BOOST_TEST(s.api->calls["create pods"] == 3 + 1 + 4,
               "restart after " << r.restart.count() << " s");
    BOOST_TEST(s.events("BackOff") >= 1u);
    const auto& notes =
        s.get("pods", "job-worker-1")["metadata"]["annotations"];
    BOOST_TEST(notes.dump()
               == R"({"training.kubeflow.org/early-failures":"5"})");
  }
}

BOOST_AUTO_TEST_CASE(the_first_replacement_is_as_the_first_pod) {
  cluster_fixture s;
  s.make("tfjobs", tf_job("OnFailure"));
  auto shape = [&] {
    auto p = s.get("pods", "job-worker-1");
    for (const char* own : {"uid", "resourceVersion", "creationTimestamp"})
      p["metadata"].erase(own);
    return p;
  };
  auto before = shape();
  reject_pod(s, "job-worker-1");
  BOOST_TEST((shape() == before));
  BOOST_TEST(s.api->calls["create pods"] == 4);
  BOOST_TEST(s.api->calls["patch pods"] == 0);
}

BOOST_AUTO_TEST_CASE(failures_of_two_types_are_both_recorded) {
  cluster_fixture s;
  s.make("tfjobs", tf_job("Never"));
  s.all_pods("Running");
  s.set_pod("job-worker-1", "Failed", 3);
  BOOST_TEST(s.condition("tfjobs", "Failed") == "True");
  // Seen after the end of the job; the failure was before it.
  s.set_pod("job-ps-0", "Failed", 4);
  BOOST_TEST(s.events("ExitedWithCode") == 2u);
  // This failure was later.
  s.op.advance(1min);
  s.change("pods", "job-worker-0", [&](json& p) {
    auto& state = p["status"]["containerStatuses"][0]["state"];
    state = {{"terminated", {{"exitCode", 5}, {"finishedAt", s.api->now()}}}};
    p["status"]["phase"] = "Failed";
  });
  BOOST_TEST(s.events("ExitedWithCode") == 2u);
}

BOOST_AUTO_TEST_CASE(a_node_that_is_deleted_fails_no_job) {
  // First the phase is written, then the pod is deleted; or it stays.
  for (bool deleted : {true, false}) {
    cluster_fixture s;
    s.make("tfjobs", tf_job("Never"));
    s.all_pods("Running");
    s.api->change("pods", "ns/job-worker-0", [](json& p) {
      p["status"]["phase"] = "Failed";
      p["status"]["conditions"] =
          json::array({{{"type", "DisruptionTarget"},
                        {"status", "True"},
                        {"reason", "DeletionByPodGC"}}});
    });
    if (deleted)
      s.api->erase("pods", "ns/job-worker-0");
    s.op.run_until_idle();
    BOOST_TEST(s.get("pods", "job-worker-0")["status"]["phase"] == "Pending");
    s.all_pods("Running");
    s.op.advance(2s);
    const auto& status = s.get("tfjobs", "job")["status"];
    BOOST_TEST(s.condition("tfjobs", "Running") == "True");
    BOOST_TEST(status["replicaStatuses"]["Worker"] == (json{{"active", 2}}));
    BOOST_TEST(status["conditions"].size() == 2u);
    BOOST_TEST(s.events("PodDisrupted") == 1u);
  }
}

BOOST_AUTO_TEST_SUITE_END()
