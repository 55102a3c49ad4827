#include "tests/actors/cluster_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <optional>

// Gang scheduling, and the removal of a job after its TTL.

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(gang_test)

namespace {

json tf_job(json policy = json::object()) {
  return manifest_of(
      "TFJob", {{"tfReplicaSpecs", {{"Worker", replica_spec(2, "tensorflow")}}},
                {"runPolicy", std::move(policy)}});
}

std::string summary_in(const json& tree) {
  if (tree.value("actor", "") == "job-supervisor")
    return tree["summary"];
  for (const auto& child : tree.value("children", json::array()))
    if (auto found = summary_in(child); !found.empty())
      return found;
  return {};
}

std::string summary_of_job(cluster_fixture& s) {
  return summary_in(*s.op.request_report());
}

/// As Volcano does when there is room for the whole group.
void admit(cluster_fixture& s) {
  s.change("podgroups", "job",
           [](json& g) { g["status"]["phase"] = "Inqueue"; });
}

} // namespace

BOOST_AUTO_TEST_CASE(volcanos_pods_wait_until_their_group_is_admitted) {
  cluster_fixture s{core::gang::volcano};
  s.make("tfjobs", tf_job());
  BOOST_TEST(s.count("podgroups") == 1u);
  s.op.advance(1h);
  BOOST_TEST(s.count("pods") == 0u);
  BOOST_TEST(!s.get("tfjobs", "job")["status"].contains("startTime"));
  admit(s);
  BOOST_TEST(s.count("pods") == 2u);
  BOOST_TEST(s.get("tfjobs", "job")["status"].contains("startTime"));
}

BOOST_AUTO_TEST_CASE(a_report_contains_whether_the_group_is_awaited) {
  cluster_fixture s{core::gang::volcano};
  s.make("tfjobs", tf_job());
  BOOST_TEST(
      s.op.request_report("TFJob", "job")["podGroup"]
      == (json{
          {"name", "job"}, {"phase", ""}, {"awaited", true}, {"trouble", ""}}));
  admit(s);
  BOOST_TEST(s.op.request_report("TFJob", "job")["podGroup"]
             == (json{{"name", "job"},
                      {"phase", "Inqueue"},
                      {"awaited", false},
                      {"trouble", ""}}));
}

BOOST_AUTO_TEST_CASE(a_waiting_job_does_not_run_into_its_deadline) {
  cluster_fixture s{core::gang::volcano};
  s.make("tfjobs", tf_job({{"activeDeadlineSeconds", 60}}));
  s.op.advance(10min);
  admit(s);
  s.op.advance(58s);
  BOOST_TEST(s.events("TFJobFailed") == 0u);
  s.op.advance(2s);
  BOOST_TEST(s.events("TFJobFailed") == 1u);
  BOOST_TEST(s.count("podgroups") == 0u);
}

BOOST_AUTO_TEST_CASE(a_group_whose_status_changes_is_not_written) {
  cluster_fixture s{core::gang::volcano};
  s.make("tfjobs", tf_job());
  admit(s);
  for (const char* pod : {"job-worker-0", "job-worker-1"})
    s.set_pod(pod, "Running");
  s.op.advance(5s);
  auto before = s.writes();
  for (int running = 0; running < 5; ++running) {
    s.change("podgroups", "job", [&](json& g) {
      g["status"] = {{"phase", "Running"}, {"running", running}};
    });
    s.op.advance(1min);
  }
  BOOST_TEST(s.writes() == before);
}

BOOST_AUTO_TEST_CASE(what_a_job_asks_for_no_more_is_removed_from_its_group) {
  cluster_fixture s{core::gang::volcano};
  s.make("tfjobs", tf_job({{"schedulingPolicy",
                            {{"priorityClass", "high"},
                             {"minResources", {{"cpu", 1}, {"memory", 2}}}}}}));
  auto spec = [&] { return s.get("podgroups", "job")["spec"]; };
  BOOST_TEST(spec()["priorityClassName"] == "high");
  // Also after a change of the group's status.
  admit(s);
  s.change("tfjobs", "job", [](json& j) {
    j["spec"]["runPolicy"]["schedulingPolicy"] = {
        {"minResources", {{"cpu", 3}}}};
  });
  BOOST_TEST(spec()["minResources"] == (json{{"cpu", 3}}));
  BOOST_TEST(!spec().contains("priorityClassName"));
  BOOST_TEST(spec()["queue"] == "default");
  auto before = s.writes();
  s.op.advance(1h);
  BOOST_TEST(s.writes() == before);
}

BOOST_AUTO_TEST_CASE(a_group_goes_with_the_job_and_comes_with_it) {
  cluster_fixture s{core::gang::coscheduling};
  s.make("tfjobs", tf_job());
  BOOST_TEST(s.count("podgroups") == 1u);
  BOOST_TEST(s.count("pods") == 2u);
  auto suspend = [&](bool now) {
    s.change("tfjobs", "job",
             [&](json& j) { j["spec"]["runPolicy"]["suspend"] = now; });
  };
  suspend(true);
  BOOST_TEST(s.count("podgroups") == 0u);
  suspend(false);
  BOOST_TEST(s.count("podgroups") == 1u);
  s.set_pod("job-worker-0", "Succeeded");
  BOOST_TEST(s.count("podgroups") == 0u);
  BOOST_TEST(s.events("SuccessfulDeletePodGroup") == 2u);
  BOOST_TEST(s.events("JobTerminated") == 2u);
  auto before = s.writes();
  s.op.advance(1h);
  BOOST_TEST(s.writes() == before);
}

BOOST_AUTO_TEST_CASE(a_group_that_cannot_be_placed_is_one_event) {
  cluster_fixture s{core::gang::volcano};
  s.make("tfjobs", tf_job());
  for (const char* turn : {"1", "2", "3"})
    s.change("podgroups", "job", [&](json& g) {
      g["status"] = {{"phase", "Pending"},
                     {"conditions",
                      {{{"type", "Unschedulable"},
                        {"status", "True"},
                        {"reason", "NotEnoughResources"},
                        {"transitionID", turn},
                        {"message", "2/0 tasks in gang unschedulable"}}}}};
    });
  BOOST_TEST(s.events("NotEnoughResources") == 1u);
}

BOOST_AUTO_TEST_CASE(the_pod_that_cannot_be_placed_is_quoted) {
  cluster_fixture s{core::gang::volcano};
  s.make("tfjobs", tf_job());
  admit(s);
  auto set_pod_scheduled = [&](const char* pod, const char* reason,
                               const char* message) {
    s.change("pods", pod, [&](json& p) {
      p["status"] = {{"phase", "Pending"},
                     {"conditions",
                      {{{"type", "PodScheduled"},
                        {"status", "False"},
                        {"reason", reason},
                        {"lastTransitionTime", "2026-01-31T12:00:00Z"},
                        {"message", message}}}}};
    });
  };
  for (const char* node : {"node1", "node2", "node3"})
    set_pod_scheduled(
        "job-worker-0", "Schedulable",
        (std::string{"Pod ns/job-worker-0 can possibly be assigned to "} + node)
            .c_str());
  set_pod_scheduled("job-worker-1", "Unschedulable",
                    "0/3 nodes are unavailable");
  BOOST_TEST(s.events("Schedulable") == 0u);
  BOOST_TEST(s.events("Unschedulable") == 1u);
  auto quoted = [&] { return summary_of_job(s); };
  BOOST_TEST(quoted().find("0/3 nodes") != std::string::npos, quoted());
  // A pod that was not tried explains less.
  set_pod_scheduled("job-worker-0", "Undetermined",
                    "pod group is not ready, 2 Pending");
  BOOST_TEST(quoted().find("0/3 nodes") != std::string::npos, quoted());
}

BOOST_AUTO_TEST_CASE(a_gang_of_kubernetes_that_does_not_fit_is_one_event) {
  cluster_fixture s{core::gang::kubernetes};
  s.make("tfjobs", tf_job());
  BOOST_TEST(s.count("pods") == 2u);
  std::string name =
      s.get("pods", "job-worker-0")["spec"]["schedulingGroup"]["podGroupName"];
  auto refuse = [&](const char* message) {
    s.change("podgroups", name.c_str(), [&](json& g) {
      g["status"]["conditions"] = {
          {{"type", "PodGroupInitiallyScheduled"},
           {"status", "False"},
           {"reason", "Unschedulable"},
           {"lastTransitionTime", "2020-01-01T00:00:00Z"},
           {"message", message}}};
    });
  };
  refuse("no room");
  s.op.advance(31s);
  refuse("no room, no room");
  s.op.advance(1h);
  BOOST_TEST(s.events("Unschedulable") == 1u);
  BOOST_TEST(s.op.request_report("TFJob", "job")["podGroup"]["minCount"] == 2);
  auto before = s.writes();
  s.op.advance(1h);
  BOOST_TEST(s.writes() == before);
}

// -- why a group is not admitted ----------------------------------------------

namespace {

void event_on_group(cluster_fixture& s, const char* message) {
  auto uid = s.get("podgroups", "job")["metadata"]["uid"];
  s.api->create("events",
                {{"metadata",
                  {{"name", std::string{"e-"} + message}, {"namespace", "ns"}}},
                 {"reason", "Unschedulable"},
                 {"type", "Normal"},
                 {"message", message},
                 {"lastTimestamp", "2026-01-31T12:00:00Z"},
                 {"involvedObject", {{"uid", uid}}}});
}

/// The operator's events on the job.
std::vector<std::string> events_of_group(cluster_fixture& s) {
  s.op.advance(1s);
  std::vector<std::string> result;
  for (const auto& [key, e] : s.api->all("events"))
    if (e["involvedObject"].value("kind", "") == "TFJob"
        && e["reason"] == "Unschedulable")
      result.push_back(e["message"]);
  return result;
}

} // namespace

BOOST_AUTO_TEST_CASE(why_volcano_does_not_admit_a_group_is_one_event) {
  cluster_fixture s{core::gang::volcano};
  s.make("tfjobs", tf_job());
  s.change("podgroups", "job",
           [](json& g) { g["status"]["phase"] = "Pending"; });
  event_on_group(s, "queue resource quota insufficient");
  s.op.advance(28s);
  BOOST_TEST(events_of_group(s).empty());
  s.op.advance(2s);
  const std::vector<std::string> want{
      "PodGroup job: queue resource quota insufficient"};
  BOOST_TEST(events_of_group(s) == want);
  BOOST_TEST(summary_of_job(s)
             == "waits until its pod group is admitted; Unschedulable: queue "
                "resource quota insufficient");
  s.op.advance(1h);
  BOOST_TEST(events_of_group(s) == want);
  // Six times in the first half an hour, then every ten minutes.
  BOOST_TEST(s.api->calls["list events"] <= 10);
  BOOST_TEST(s.api->calls["list events"] >= 7);
  // The reason stays when the group's status changes.
  s.change("podgroups", "job", [](json& g) { g["status"]["x"] = 1; });
  BOOST_TEST(summary_of_job(s).find("quota") != std::string::npos);
  admit(s);
  auto before = s.api->calls["list events"];
  s.op.advance(1h);
  BOOST_TEST(s.api->calls["list events"] == before);
}

BOOST_AUTO_TEST_CASE(a_queue_that_is_not_there_is_named) {
  cluster_fixture s{core::gang::volcano};
  s.make("tfjobs", tf_job({{"schedulingPolicy", {{"queue", "nowhere"}}}}));
  s.op.advance(32s);
  const std::vector<std::string> want{
      "PodGroup job: queue nowhere does not exist"};
  BOOST_TEST(events_of_group(s) == want);
}

BOOST_AUTO_TEST_CASE(
    without_the_right_to_list_events_the_summary_has_no_reason) {
  cluster_fixture s{core::gang::volcano};
  s.make("tfjobs", tf_job());
  for (auto wait : {32s, 600s}) {
    s.op.advance_clock(wait);
    s.run_failing(
        [](const k8s::request& r) {
          return r.resource == "events" || r.resource == "queues";
        },
        {k8s::ec::forbidden, "may not"});
  }
  BOOST_TEST(summary_of_job(s) == "waits until its pod group is admitted");
  BOOST_TEST(events_of_group(s).empty());
}

// -- the end ------------------------------------------------------------------

namespace {

/// Answers calls until the removal of the job is pending; returns its index.
std::optional<std::size_t> await_removal(cluster_fixture& s) {
  for (int i = 0; i < 1000; ++i) {
    s.api->deliver_all();
    s.op.run_messages();
    const auto& waiting = s.api->pending();
    for (std::size_t n = 0; n < waiting.size(); ++n)
      if (waiting[n].request.method == k8s::verb::remove
          && waiting[n].request.resource == "tfjobs")
        return n;
    if (!waiting.empty())
      s.api->answer(0);
    else
      s.op.advance_to_next_timer();
  }
  return std::nullopt;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_removal_seen_before_its_answer_has_its_event) {
  cluster_fixture s;
  s.make("tfjobs", tf_job({{"ttlSecondsAfterFinished", 30}}));
  s.set_pod("job-worker-0", "Succeeded");
  s.op.advance(29s);
  auto removal = await_removal(s);
  BOOST_REQUIRE(removal.has_value());
  // It is done, and the watch shows it, before the answer arrives.
  s.api->erase("tfjobs", "ns/job");
  s.api->deliver_all();
  s.op.run_messages();
  s.op.run_until_idle();
  BOOST_TEST(s.count("tfjobs") == 0u);
  BOOST_TEST(s.events("SuccessfulDeleteJob") == 1u);
}

BOOST_AUTO_TEST_CASE(a_removal_answered_before_it_is_seen_has_one_event) {
  cluster_fixture s;
  s.make("tfjobs", tf_job({{"ttlSecondsAfterFinished", 30}}));
  s.set_pod("job-worker-0", "Succeeded");
  s.op.advance(29s);
  auto removal = await_removal(s);
  BOOST_REQUIRE(removal.has_value());
  s.api->answer(*removal);
  s.op.run_messages();   // The answer first,
  s.op.run_until_idle(); // then the watch event.
  BOOST_TEST(s.count("tfjobs") == 0u);
  BOOST_TEST(s.events("SuccessfulDeleteJob") == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
