#include "frameworks/core/pass/summary.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(summary_test)

namespace {

child_builder unscheduled(int index, const char* reason, const char* message) {
  auto p = pod("worker", index);
  p.state().conditions = {{"PodScheduled", "False", reason, message, {}}};
  return p;
}

child_builder scheduled(int index) {
  auto p = pod("worker", index);
  p.state().node = "node";
  return p;
}

} // namespace

BOOST_AUTO_TEST_CASE(the_summary_says_what_an_unfinished_job_waits_for) {
  struct row {
    std::vector<child_builder> pods;
    const char* summary;
  };
  // clang-format off
  const row rows[] = {
      {{}, "0 of 2 replicas run; job-worker-0 does not exist yet"},
      {{pod("worker", 0).running()}, "1 of 2 replicas run; job-worker-1 does not exist yet"},
      {{pod("worker", 0).running(), pod("worker", 1).running()}, "2 of 2 replicas run"},
      {{pod("worker", 0).running(), pod("worker", 1).succeeded()},
       "1 of 2 replicas run, 1 have succeeded"},
      {{pod("worker", 0)}, "0 of 2 replicas run; job-worker-0 is not scheduled yet"},
      {{scheduled(0)}, "0 of 2 replicas run; job-worker-0 is starting"},
      {{pod("worker", 0).running().deleting()}, "0 of 2 replicas run; job-worker-0 is being deleted"},
      {{pod("worker", 0).running(), unscheduled(1, "Unschedulable", "no node is free")},
       "1 of 2 replicas run; Unschedulable: Error pod job-worker-1 condition "
       "message: no node is free"},
      // What only waits for another pod explains less than that pod.
      {{unscheduled(0, "Undetermined", "not tried"),
        unscheduled(1, "Unschedulable", "no node is free")},
       "0 of 2 replicas run; Unschedulable: Error pod job-worker-1 condition "
       "message: no node is free"},
      {{unscheduled(0, "Undetermined", "not tried")},
       "0 of 2 replicas run; Undetermined: Error pod job-worker-0 condition "
       "message: not tried"},
  };
  // clang-format on
  for (const auto& r : rows) {
    job_fixture s{make_job().workers(2)};
    s.all_services();
    for (const auto& p : r.pods)
      s.observe(p);
    BOOST_TEST(s.pass().summary == r.summary);
  }
}

BOOST_AUTO_TEST_CASE(the_summary_of_a_finished_job_is_its_condition) {
  struct row {
    child_builder pod;
    const char* summary;
  } rows[] = {{pod("worker", 0).succeeded(), "has succeeded"},
              {pod("worker", 0).failed(1),
               "failed: TFJob ns/job has failed because 1 Worker replica(s) "
               "failed."}};
  for (const auto& r : rows) {
    job_fixture s{make_job().workers(1).restart_policy("Never")};
    s.all_services().observe(r.pod);
    s.pass();
    BOOST_TEST(s.last.summary == std::string{r.summary} + " (being written)");
    s.save();
    s.pass();
    BOOST_TEST(s.last.summary == r.summary);
  }
}

BOOST_AUTO_TEST_CASE(the_summary_says_what_a_suspended_job_still_stops) {
  auto stops = [](int i) { return pod("worker", i).running().deleting(); };
  struct row {
    std::vector<child_builder> pods;
    const char* summary;
  } rows[] = {
      {{stops(0), stops(1), pod("worker", 2).succeeded()},
       "is suspended; stopping: 2 of 3 pods still run, the last may take until "
       "02:40:00 UTC"},
      {{stops(0)},
       "is suspended; stopping: 1 of 3 pods still runs, the last may take "
       "until 02:40:00 UTC"},
      // The server has not answered yet.
      {{stops(0), pod("worker", 1).running()},
       "is suspended; stopping: 2 of 3 pods still run"},
      {{pod("worker", 0).deleting()}, "is suspended"},
  };
  for (const auto& r : rows) {
    job_fixture s{make_job().workers(3).suspended()};
    for (const auto& p : r.pods)
      s.observe(p);
    BOOST_TEST(s.pass().summary == r.summary);
  }
}

BOOST_AUTO_TEST_CASE(a_failed_pod_explains_itself_after_the_others) {
  job_fixture s{make_job().workers(2).restart_policy("ExitCode")};
  auto evicted = pod("worker", 0).in(k8s::pod_phase::failed);
  evicted.state().reason = "Evicted";
  evicted.state().message = "The node was low on memory.";
  s.observe({evicted, pod("worker", 1).running()});
  BOOST_TEST(s.pass().summary
             == "1 of 2 replicas run, 1 have failed; Evicted: The node was "
                "low on memory.");
  s.observe(unscheduled(1, "Unschedulable", "no node").version(2));
  BOOST_TEST(s.pass().summary
             == "0 of 2 replicas run, 1 have failed; Unschedulable: Error pod "
                "job-worker-1 condition message: no node");
}

BOOST_AUTO_TEST_CASE(the_summary_says_why_there_are_no_pods) {
  struct row {
    core::job job;
    const char* summary;
  } rows[] = {{make_job().workers(2).suspended(), "is suspended"},
              {make_job().workers(0), "asks for no replicas"}};
  for (const auto& r : rows) {
    job_fixture s{r.job};
    BOOST_TEST(s.pass().summary == r.summary);
  }
}

BOOST_AUTO_TEST_SUITE_END()
