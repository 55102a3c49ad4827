#include "tests/actors/story.hpp"

#include <boost/test/unit_test.hpp>

// The count of restarts, where the definition of the kind has no
// status.restarts: the server drops it from the status without a word.

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(restart_count_test)

namespace {

constexpr const char* annotation = "training.kubeflow.org/restarts";

json tf_job(int limit) {
  auto spec = replica(1, "tensorflow");
  spec["restartPolicy"] = "ExitCode";
  return job_of("TFJob", {{"tfReplicaSpecs", {{"Worker", spec}}},
                          {"runPolicy", {{"backoffLimit", limit}}}});
}

void start(story& s) {
  s.api->drops_restarts = true;
  s.make("tfjobs", tf_job(2));
  s.set_pod("job-worker-0", "Running");
}

std::string uid_of_pod(story& s) {
  return s.get("pods", "job-worker-0")["metadata"]["uid"];
}

/// The pod fails, is replaced, and its successor runs.
void fail_once(story& s) {
  auto before = uid_of_pod(s);
  s.set_pod("job-worker-0", "Failed", 137);
  s.on.advance(20min); // Whatever it may be held back for.
  BOOST_REQUIRE(uid_of_pod(s) != before);
  s.set_pod("job-worker-0", "Running");
  s.on.advance(20min);
}

int count(story& s) {
  auto all =
      s.get("tfjobs", "job")["metadata"].value("annotations", json::object());
  if (!all.contains(annotation))
    return 0;
  int sum = 0;
  for (const auto& r : json::parse(all[annotation].get<std::string>()))
    sum += r["count"].get<int>();
  return sum;
}

bool failed(story& s) {
  for (const auto& c : s.get("tfjobs", "job")["status"]["conditions"])
    if (c["type"] == "Failed")
      return true;
  return false;
}

void restart_operator(story& s) {
  s.on.end();
  s.on.begin();
  s.on.settle();
}

} // namespace

BOOST_AUTO_TEST_CASE(restarts_that_the_status_loses_are_in_an_annotation) {
  story s;
  start(s);
  BOOST_TEST(count(s) == 0);
  fail_once(s);
  BOOST_TEST(count(s) == 1);
  BOOST_TEST(!s.get("tfjobs", "job")["status"].contains("restarts"));
  restart_operator(s);
  fail_once(s);
  BOOST_TEST(count(s) == 2);
  restart_operator(s);
  BOOST_TEST(!failed(s));
  s.set_pod("job-worker-0", "Failed", 137);
  s.on.advance(5s);
  BOOST_TEST(failed(s));
}

BOOST_AUTO_TEST_CASE(no_pod_goes_before_its_restart_is_saved) {
  story s;
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
  story s;
  s.make("tfjobs", tf_job(2));
  s.set_pod("job-worker-0", "Running");
  fail_once(s);
  BOOST_TEST(count(s) == 0);
  BOOST_TEST(s.get("tfjobs", "job")["status"]["restarts"].size() == 1u);
  BOOST_TEST(s.api->calls["patch tfjobs"] == 0);
}

BOOST_AUTO_TEST_CASE(an_annotation_that_may_not_be_written_is_told_of) {
  story s;
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
    s.on.settle_messages();
    if (s.api->pending().empty())
      break;
    const auto& next = s.api->pending()[0].request;
    bool patch = next.method == k8s::verb::patch && next.resource == "tfjobs";
    refused = refused || patch;
    if (patch)
      s.api->refuse(0, {k8s::ec::forbidden, "may not"});
    else
      s.api->answer(0);
  }
  BOOST_TEST(refused);
  s.on.advance(20min);
  BOOST_TEST(uid_of_pod(s) != before);
  BOOST_TEST(s.events("RestartsNotSaved") == 1u);
  // It goes on counting while it lives.
  s.set_pod("job-worker-0", "Running");
  s.on.advance(20min);
  fail_once(s);
  s.set_pod("job-worker-0", "Failed", 137);
  s.on.advance(5s);
  BOOST_TEST(failed(s));
  BOOST_TEST(s.events("RestartsNotSaved") == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
