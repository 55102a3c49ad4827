#include "tests/actors/story.hpp"

#include <boost/test/unit_test.hpp>

// What becomes of jobs whose pods fail, from the first news to the last write.

using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(failing_test)

namespace {

json tf_job(const char* policy) {
  json types{{"PS", replica(1, "tensorflow")},
             {"Worker", replica(2, "tensorflow")}};
  for (auto& type : types)
    type["restartPolicy"] = policy;
  return job_of("TFJob", {{"tfReplicaSpecs", std::move(types)}});
}

bool is_true(const json& job, const char* type) {
  for (const auto& c : job["status"]["conditions"])
    if (c["type"] == type)
      return c["status"] == "True";
  return false;
}

/// A kubelet that refuses every pod of this name, as soon as it sees it.
void refuse(story& s, const std::string& name) {
  const auto* pod = s.api->find("pods", "ns/" + name);
  if (pod && (*pod)["status"]["phase"] == "Pending")
    s.change("pods", name, [&](json& p) {
      p["status"] = {{"phase", "Failed"},
                     {"reason", "UnexpectedAdmissionError"},
                     {"startTime", s.api->now()}};
    });
}

} // namespace

BOOST_AUTO_TEST_CASE(pods_that_fail_at_once_come_ever_more_slowly) {
  struct row {
    std::chrono::seconds restart; // Of the operator; 0: none.
  } rows[] = {{0s}, {3s}, {25s}, {40s}};
  for (const auto& r : rows) {
    story s;
    s.make("tfjobs", tf_job("OnFailure"));
    for (auto t = 0s; t < 200s; t += 1s) {
      refuse(s, "job-worker-1");
      if (r.restart > 0s && t == r.restart) {
        s.on.end();
        s.on.begin();
      }
      s.on.advance(1s);
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
  story s;
  s.make("tfjobs", tf_job("OnFailure"));
  auto shape = [&] {
    auto p = s.get("pods", "job-worker-1");
    for (const char* own : {"uid", "resourceVersion", "creationTimestamp"})
      p["metadata"].erase(own);
    return p;
  };
  auto before = shape();
  refuse(s, "job-worker-1");
  BOOST_TEST((shape() == before));
  BOOST_TEST(s.api->calls["create pods"] == 4);
  BOOST_TEST(s.api->calls["patch pods"] == 0);
}

BOOST_AUTO_TEST_CASE(types_that_fail_together_are_told_of_together) {
  story s;
  s.make("tfjobs", tf_job("Never"));
  s.all_pods("Running");
  s.set_pod("job-worker-1", "Failed", 3);
  BOOST_TEST(is_true(s.get("tfjobs", "job"), "Failed"));
  // This news is later than the end of the job, the failure is not.
  s.set_pod("job-ps-0", "Failed", 4);
  BOOST_TEST(s.events("ExitedWithCode") == 2u);
  // This one has no part in it.
  s.on.advance(1min);
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
    story s;
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
    s.on.settle();
    BOOST_TEST(s.get("pods", "job-worker-0")["status"]["phase"] == "Pending");
    s.all_pods("Running");
    s.on.advance(2s);
    const auto& status = s.get("tfjobs", "job")["status"];
    BOOST_TEST(is_true(s.get("tfjobs", "job"), "Running"));
    BOOST_TEST(status["replicaStatuses"]["Worker"] == (json{{"active", 2}}));
    BOOST_TEST(status["conditions"].size() == 2u);
    BOOST_TEST(s.events("PodDisrupted") == 1u);
  }
}

BOOST_AUTO_TEST_SUITE_END()
