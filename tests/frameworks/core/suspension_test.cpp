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
  BOOST_TEST(s.status.replicas.at("Worker").active == 0);
  BOOST_TEST((s.status.start_time == base_time));
  s.pass();
  BOOST_TEST(s.events() == (strings{}), boost::test_tools::per_element());

  s.seen = {};
  s.j = make_job().workers(1);
  s.pass();
  BOOST_TEST(s.conditions() == "Created Running=False Suspended=False");
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
