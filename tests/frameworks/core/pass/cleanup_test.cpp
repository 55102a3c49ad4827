#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(cleanup_test)

namespace {

/// A job that succeeded: worker 0 did, worker 1 and the server still run, a
/// worker's pod is gone but not its service, one pod's place is unknown.
job_fixture is_finished(const char* policy) {
  job_fixture s{make_job().workers(3).servers(1).clean_pod_policy(policy)};
  s.all_services().observe({pod("worker", 0).succeeded(),
                            pod("worker", 1).running(), pod("ps", 0).running(),
                            pod("worker", 4).index("?").uid("stray")});
  s.pass();
  return s;
}

} // namespace

BOOST_AUTO_TEST_CASE(nothing_goes_before_the_end_is_saved) {
  auto s = is_finished("All");
  BOOST_TEST(s.conditions() == "Created Succeeded");
  BOOST_TEST(s.decisions() == (strings{}), boost::test_tools::per_element());
  s.pass();
  BOOST_TEST(s.decisions() == (strings{}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_policy_says_what_goes) {
  auto none = is_finished("None");
  none.save();
  none.pass();
  BOOST_TEST(none.decisions() == (strings{}), boost::test_tools::per_element());

  auto running = is_finished("Running");
  running.save();
  running.pass();
  BOOST_TEST(
      running.decisions()
          == (strings{"delete pod job-ps-0", "delete pod job-worker-?",
                      "delete pod job-worker-1", "delete service job-ps-0",
                      "delete service job-worker-0",
                      "delete service job-worker-1",
                      "delete service job-worker-2"}),
      boost::test_tools::per_element());

  // Any unknown word means the same.
  for (const char* word : {"All", "Sometimes", ""}) {
    auto all = is_finished(word);
    all.save();
    all.pass();
    BOOST_TEST(
        all.decisions()
            == (strings{
                "delete pod job-ps-0", "delete pod job-worker-?",
                "delete pod job-worker-0", "delete pod job-worker-1",
                "delete service job-ps-0", "delete service job-worker-0",
                "delete service job-worker-1", "delete service job-worker-2"}),
        boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(pods_of_others_stay) {
  auto s = is_finished("All");
  s.observe({pod("worker", 9).uid("orphan").orphan()});
  s.save();
  s.pass();
  for (const auto& d : s.last.decisions)
    BOOST_TEST(std::get<core::delete_child>(d).uid != "orphan");
}

BOOST_AUTO_TEST_CASE(a_finished_job_makes_and_restarts_nothing) {
  job_fixture s{make_job().workers(2).servers(1).restart_policy("OnFailure")};
  s.observe({pod("worker", 0).succeeded()});
  s.pass_and_save();
  s.observe({pod("ps", 0).failed()});
  s.pass();
  BOOST_TEST(s.decisions() == (strings{}), boost::test_tools::per_element());
  BOOST_TEST(s.conditions() == "Created Succeeded");
}

BOOST_AUTO_TEST_CASE(a_job_that_ended_elsewhere_gets_its_missing_time) {
  job_fixture s{make_job().workers(1).ttl(60)};
  s.saved.set_condition("Failed", true, "TFJobFailed", "", s.now);
  s.status = s.saved;
  s.pass();
  BOOST_TEST((s.status.completion_time == s.now));
  BOOST_TEST(s.last.requeue_at.has_value());
}

BOOST_AUTO_TEST_SUITE_END()
