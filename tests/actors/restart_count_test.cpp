#include "tests/actors/cluster_fixture.hpp"

#include <boost/test/unit_test.hpp>

// The count of restarts, where the definition of the kind has no
// status.restarts: the server drops it from the status and reports no error.

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(restart_count_test)

namespace {

constexpr const char* annotation = "training.kubeflow.org/restarts";

json tf_job_with_limit(int limit) {
  auto job = tf_job_restarting(1, "ExitCode");
  job["spec"]["runPolicy"]["backoffLimit"] = limit;
  return job;
}

void start(cluster_fixture& s) {
  s.api->drops_restarts = true;
  s.make("tfjobs", tf_job_with_limit(2));
  s.set_pod("job-worker-0", "Running");
}

std::string uid_of_pod(cluster_fixture& s) {
  return s.get("pods", "job-worker-0")["metadata"]["uid"];
}

/// The pod fails, is replaced, and its successor runs.
void fail_once(cluster_fixture& s) {
  auto before = uid_of_pod(s);
  s.set_pod("job-worker-0", "Failed", 137);
  s.op.advance(20min); // Longer than any back-off.
  BOOST_REQUIRE(uid_of_pod(s) != before);
  s.set_pod("job-worker-0", "Running");
  s.op.advance(20min);
}

int count(cluster_fixture& s) {
  auto all =
      s.get("tfjobs", "job")["metadata"].value("annotations", json::object());
  if (!all.contains(annotation))
    return 0;
  int sum = 0;
  for (const auto& r : json::parse(all[annotation].get<std::string>()))
    sum += r["count"].get<int>();
  return sum;
}

} // namespace

BOOST_AUTO_TEST_CASE(restarts_that_the_status_loses_are_in_an_annotation) {
  cluster_fixture s;
  start(s);
  BOOST_TEST(count(s) == 0);
  fail_once(s);
  BOOST_TEST(count(s) == 1);
  BOOST_TEST(!s.get("tfjobs", "job")["status"].contains("restarts"));
  s.restart();
  fail_once(s);
  BOOST_TEST(count(s) == 2);
  s.restart();
  BOOST_TEST(s.condition("tfjobs", "Failed") == "");
  s.set_pod("job-worker-0", "Failed", 137);
  s.op.advance(5s);
  BOOST_TEST(s.condition("tfjobs", "Failed") == "True");
}

BOOST_AUTO_TEST_CASE(no_pod_goes_before_its_restart_is_saved) {
  cluster_fixture s;
  start(s);
  int saved_first = 0;
  int removals = 0;
  s.api->on_write = [&](const k8s::request& r, const std::string& plural,
                        const std::string&, const json&) {
    if (plural != "pods" || r.method != k8s::verb::remove)
      return;
    ++removals;
    saved_first += count(s) == removals;
  };
  fail_once(s);
  fail_once(s);
  BOOST_TEST(removals == 2);
  BOOST_TEST(saved_first == 2);
}

BOOST_AUTO_TEST_CASE(a_status_that_keeps_restarts_needs_no_annotation) {
  cluster_fixture s;
  s.make("tfjobs", tf_job_with_limit(2));
  s.set_pod("job-worker-0", "Running");
  fail_once(s);
  BOOST_TEST(count(s) == 0);
  BOOST_TEST(s.get("tfjobs", "job")["status"]["restarts"].size() == 1u);
  BOOST_TEST(s.api->calls["patch tfjobs"] == 0);
}

BOOST_AUTO_TEST_CASE(an_annotation_that_was_refused_is_written_later) {
  cluster_fixture s;
  start(s);
  auto before = uid_of_pod(s);
  s.api->change("pods", "ns/job-worker-0", [](json& p) {
    p["status"]["phase"] = "Failed";
    p["status"]["containerStatuses"][0]["state"] = {
        {"terminated", {{"exitCode", 137}}}};
  });
  bool refused = false;
  for (int i = 0; i < 1000; ++i) {
    s.api->deliver_all();
    s.op.run_messages();
    if (s.api->pending().empty())
      break;
    const auto& next = s.api->pending()[0].request;
    bool patch = next.method == k8s::verb::patch && next.resource == "tfjobs";
    refused = refused || patch;
    if (patch)
      s.api->fail_call(0, {k8s::ec::forbidden, "may not"});
    else
      s.api->answer(0);
  }
  BOOST_TEST(refused);
  s.op.advance(20min);
  BOOST_TEST(uid_of_pod(s) != before);
  BOOST_TEST(s.events("RestartsNotSaved") == 1u);
  // It was tried again, so another process goes on counting.
  BOOST_TEST(count(s) == 1);
  s.restart();
  s.set_pod("job-worker-0", "Running");
  s.op.advance(20min);
  fail_once(s);
  s.set_pod("job-worker-0", "Failed", 137);
  s.op.advance(5s);
  BOOST_TEST(s.condition("tfjobs", "Failed") == "True");
  BOOST_TEST(s.events("RestartsNotSaved") == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
