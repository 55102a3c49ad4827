#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(suspension_test)

BOOST_AUTO_TEST_CASE(everything_goes_once_and_comes_back_anew) {
  job_fixture s{make_job().workers(1)};
  s.all_services().observe({pod("worker", 0).running()});
  s.pass();
  BOOST_TEST(s.conditions() == "Created Running");

  s.j = make_job().workers(1).suspended();
  s.now += 5s;
  s.pass();
  BOOST_TEST(s.decisions()
                 == (strings{"delete pod job-worker-0",
                             "delete service job-worker-0"}),
             boost::test_tools::per_element());
  BOOST_TEST(s.conditions() == "Created Running=False Suspended");
  BOOST_TEST(s.status.find_condition("Running")->reason == "TFJobSuspended");
  BOOST_TEST(s.events()
                 == (strings{"Normal TFJobSuspended TFJob job is "
                             "suspended."}),
             boost::test_tools::per_element());
  BOOST_TEST(s.status.replicas.at("Worker").active == 1); // It still runs.
  BOOST_TEST((s.status.start_time == base_time));
  s.pass();
  BOOST_TEST(s.events() == (strings{}), boost::test_tools::per_element());

  s.seen = {};
  s.pass();
  BOOST_TEST(s.status.replicas.at("Worker").active == 0);
  s.j = make_job().workers(1);
  s.pass();
  // The last condition is what clients show as the state.
  BOOST_TEST(s.conditions() == "Running=False Suspended=False Created");
  BOOST_TEST(s.status.find_condition("Suspended")->reason == "TFJobResumed");
  BOOST_TEST(s.events()
                 == (strings{"Normal TFJobResumed TFJob job is resumed."}),
             boost::test_tools::per_element());
  BOOST_TEST((s.status.start_time == base_time + 5s));
  BOOST_TEST(s.decisions()
                 == (strings{"create pod worker-0", "create service worker-0"}),
             boost::test_tools::per_element());

  s.all_services().observe({pod("worker", 0).running().uid("new")});
  s.pass();
  BOOST_TEST(s.conditions() == "Created Suspended=False Running");
}

BOOST_AUTO_TEST_CASE(a_job_born_asleep_has_not_begun) {
  job_fixture s{make_job().workers(1).suspended()};
  s.pass();
  BOOST_TEST(s.conditions() == "Created Suspended");
  BOOST_TEST(!s.status.start_time.has_value());
  BOOST_TEST(s.status.replicas.empty());
  BOOST_TEST(s.decisions() == (strings{}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_still_runs_counts_until_it_has_ended) {
  struct row {
    const char* description;
    std::vector<child_builder> pods;
    int active;
  };
  auto stops = [](int i) { return pod("worker", i).running().deleting(); };
  const row rows[] = {
      {"told to stop", {stops(0), stops(1)}, 2},
      {"not told yet", {pod("worker", 0).running(), stops(1)}, 2},
      {"one has ended", {stops(0), pod("worker", 1).succeeded().deleting()}, 1},
      {"one has failed", {stops(0), pod("worker", 1).failed().deleting()}, 1},
      {"never ran", {pod("worker", 0).deleting(), stops(1)}, 1},
      {"out of range", {stops(0), stops(5)}, 2},
      {"released", {stops(0), stops(1).orphan()}, 1},
      {"of another job", {stops(0), stops(1).of_job("other")}, 1},
      {"all are gone", {}, 0},
  };
  for (const char* kind : {"TFJob", "PyTorchJob", "MPIJob", "MXJob"})
    for (const auto& r : rows) {
      auto b = make_job_of(kind).workers(2).suspended();
      if (std::string_view{kind} == "MPIJob")
        b.type("Launcher", 1);
      job_fixture s{b};
      s.status.replicas["Worker"] = {2, 1, 1, "label=x"};
      for (const auto& p : r.pods)
        s.observe(p);
      s.pass();
      const auto& counts = s.status.replicas.at("Worker");
      BOOST_TEST(counts.active == r.active, kind << ": " << r.description);
      BOOST_TEST(counts.succeeded == 0);
      BOOST_TEST(counts.failed == 0);
      BOOST_TEST(counts.selector == "label=x");
      BOOST_TEST(s.conditions() == "Created Suspended");
    }
}

BOOST_AUTO_TEST_CASE(a_finished_job_cannot_be_put_to_sleep) {
  job_fixture s{make_job().workers(1)};
  s.all_services().observe({pod("worker", 0).succeeded()});
  s.pass_and_save();
  s.j = make_job().workers(1).suspended();
  s.pass();
  BOOST_TEST(s.conditions() == "Created Succeeded");
  BOOST_TEST(s.decisions() == (strings{}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
