#include "tests/actors/story.hpp"

#include <boost/test/unit_test.hpp>

#include <optional>

// Gang scheduling, and how a job ends that is removed when its time is over.

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

namespace {

json tf_job(json policy = json::object()) {
  return job_of("TFJob",
                {{"tfReplicaSpecs", {{"Worker", replica(2, "tensorflow")}}},
                 {"runPolicy", std::move(policy)}});
}

/// As Volcano does when there is room for the whole group.
void admit(story& s) {
  s.change("podgroups", "job",
           [](json& g) { g["status"]["phase"] = "Inqueue"; });
}

} // namespace

BOOST_AUTO_TEST_CASE(volcanos_pods_wait_until_their_group_is_admitted) {
  story s{core::gang::volcano};
  s.make("tfjobs", tf_job());
  BOOST_TEST(s.count("podgroups") == 1u);
  s.on.advance(1h);
  BOOST_TEST(s.count("pods") == 0u);
  BOOST_TEST(!s.get("tfjobs", "job")["status"].contains("startTime"));
  admit(s);
  BOOST_TEST(s.count("pods") == 2u);
  BOOST_TEST(s.get("tfjobs", "job")["status"].contains("startTime"));
}

BOOST_AUTO_TEST_CASE(a_waiting_job_does_not_run_into_its_deadline) {
  story s{core::gang::volcano};
  s.make("tfjobs", tf_job({{"activeDeadlineSeconds", 60}}));
  s.on.advance(10min);
  admit(s);
  s.on.advance(58s);
  BOOST_TEST(s.events("TFJobFailed") == 0u);
  s.on.advance(2s);
  BOOST_TEST(s.events("TFJobFailed") == 1u);
  BOOST_TEST(s.count("podgroups") == 0u);
}

BOOST_AUTO_TEST_CASE(a_group_whose_status_changes_is_not_written) {
  story s{core::gang::volcano};
  s.make("tfjobs", tf_job());
  admit(s);
  for (const char* pod : {"job-worker-0", "job-worker-1"})
    s.set_pod(pod, "Running");
  s.on.advance(5s);
  auto before = s.writes();
  for (int running = 0; running < 5; ++running) {
    s.change("podgroups", "job", [&](json& g) {
      g["status"] = {{"phase", "Running"}, {"running", running}};
    });
    s.on.advance(1min);
  }
  BOOST_TEST(s.writes() == before);
}

BOOST_AUTO_TEST_CASE(what_a_job_asks_for_no_more_is_taken_from_its_group) {
  story s{core::gang::volcano};
  s.make("tfjobs", tf_job({{"schedulingPolicy",
                            {{"priorityClass", "high"},
                             {"minResources", {{"cpu", 1}, {"memory", 2}}}}}}));
  auto spec = [&] { return s.get("podgroups", "job")["spec"]; };
  BOOST_TEST(spec()["priorityClassName"] == "high");
  // A status that came meanwhile does not make it forget.
  admit(s);
  s.change("tfjobs", "job", [](json& j) {
    j["spec"]["runPolicy"]["schedulingPolicy"] = {
        {"minResources", {{"cpu", 3}}}};
  });
  BOOST_TEST(spec()["minResources"] == (json{{"cpu", 3}}));
  BOOST_TEST(!spec().contains("priorityClassName"));
  BOOST_TEST(spec()["queue"] == "default");
  auto before = s.writes();
  s.on.advance(1h);
  BOOST_TEST(s.writes() == before);
}

BOOST_AUTO_TEST_CASE(a_group_goes_with_the_job_and_comes_with_it) {
  story s{core::gang::coscheduling};
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
  s.on.advance(1h);
  BOOST_TEST(s.writes() == before);
}

BOOST_AUTO_TEST_CASE(a_scheduler_that_cannot_place_a_group_is_heard_once) {
  story s{core::gang::volcano};
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

// -- the end ------------------------------------------------------------------

namespace {

/// Answers what waits until a removal of the job does; returns its place.
std::optional<std::size_t> await_removal(story& s) {
  for (int i = 0; i < 1000; ++i) {
    s.api->deliver_all();
    s.on.settle_messages();
    const auto& waiting = s.api->pending();
    for (std::size_t n = 0; n < waiting.size(); ++n)
      if (waiting[n].request.what == k8s::verb::remove
          && waiting[n].request.resource == "tfjobs")
        return n;
    if (!waiting.empty())
      s.api->answer(0);
    else
      s.on.advance_to_next_timer();
  }
  return std::nullopt;
}

} // namespace

BOOST_AUTO_TEST_CASE(the_event_of_a_removal_survives_news_that_overtakes) {
  story s;
  s.make("tfjobs", tf_job({{"ttlSecondsAfterFinished", 30}}));
  s.set_pod("job-worker-0", "Succeeded");
  s.on.advance(29s);
  auto removal = await_removal(s);
  BOOST_REQUIRE(removal.has_value());
  // It is done, and the watch tells of it, before the answer arrives.
  s.api->erase("tfjobs", "ns/job");
  s.api->deliver_all();
  s.on.settle_messages();
  s.on.settle();
  BOOST_TEST(s.count("tfjobs") == 0u);
  BOOST_TEST(s.events("SuccessfulDeleteJob") == 1u);
}

BOOST_AUTO_TEST_CASE(the_event_of_a_removal_is_told_once_when_in_order) {
  story s;
  s.make("tfjobs", tf_job({{"ttlSecondsAfterFinished", 30}}));
  s.set_pod("job-worker-0", "Succeeded");
  s.on.advance(29s);
  auto removal = await_removal(s);
  BOOST_REQUIRE(removal.has_value());
  s.api->answer(*removal);
  s.on.settle_messages(); // The answer first,
  s.on.settle();          // then the news.
  BOOST_TEST(s.count("tfjobs") == 0u);
  BOOST_TEST(s.events("SuccessfulDeleteJob") == 1u);
}
