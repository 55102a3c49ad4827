#include "tests/frameworks/core/gangs/native_gang_fixture.hpp"
#include "tests/frameworks/core/waiting/waiting_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(waiting_native_gang_test)

namespace {

std::string answer(native_gang_fixture& s) {
  auto found = core::find_waiting_reason(
      {&s.j, s.seen, s.open, s.status, s.cluster, {}, s.now});
  return found ? describe_wait(*found, s.now) + " (" + found->who + ")" : "";
}

} // namespace

BOOST_AUTO_TEST_CASE(where_the_scheduler_is_silent) {
  native_gang_fixture s{make_job().workers(2)};
  s.observe(pod("worker", 0));
  BOOST_TEST(answer(s)
             == "PodGroup tfjob-job-job-uid, which its pods name and which is "
                "missing (the operator)");
  s.see_group(2);
  BOOST_TEST(answer(s)
             == "the rest of its gang: PodGroup tfjob-job-job-uid asks for 2 "
                "pods, and 1 counts: missing: job-worker-1 (the operator)");
  s.observe(pod("worker", 1));
  BOOST_TEST(answer(s)
             == "job-worker-0 and 1 other pod to be scheduled (the scheduler)");
}

BOOST_AUTO_TEST_CASE(what_the_scheduler_says) {
  native_gang_fixture s{make_job().workers(2)};
  s.observe(pod("worker", 0));
  s.observe(pod("worker", 1));
  s.see_group(2, native_gang_fixture::refused("Unschedulable", "no room"));
  BOOST_TEST(answer(s)
             == "its PodGroup tfjob-job-job-uid to be placed: Unschedulable: "
                "no room (the scheduler; a person if the gang can never fit)");
  s.see_group(
      2, native_gang_fixture::refused("SchedulerError", "another priority"));
  BOOST_TEST(answer(s)
             == "its PodGroup tfjob-job-job-uid to be placed: SchedulerError: "
                "another priority (a person, who gives the job and all its "
                "pods one priority)");
  s.see_group(2, native_gang_fixture::refused("SchedulerError", "no volume"));
  BOOST_TEST(answer(s)
             == "its PodGroup tfjob-job-job-uid to be placed: SchedulerError: "
                "no volume (the scheduler; a person if the gang can never "
                "fit)");
}

BOOST_AUTO_TEST_CASE(a_pod_outside_the_group_does_not_wait_for_it) {
  native_gang_fixture s{make_job().workers(2)};
  s.observe(in_group(pod("worker", 0), ""));
  BOOST_TEST(answer(s).find("PodGroup") == std::string::npos, answer(s));
  s.see_group(2, native_gang_fixture::refused("Unschedulable", "no room"));
  BOOST_TEST(answer(s).find("PodGroup") == std::string::npos, answer(s));
}

BOOST_AUTO_TEST_SUITE_END()
