#include "frameworks/core/waiting/shown_summary.hpp"
#include "tests/frameworks/core/gangs/native_gang_fixture.hpp"
#include "tests/frameworks/core/waiting/workload_builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(shown_summary_test)

namespace {

std::string shown(const std::string& summary, const waiting_fixture& f) {
  return core::shown_summary(summary, {&f.j, f.seen, f.open, f.status,
                                       f.cluster, f.supervisor, f.now});
}

} // namespace

BOOST_AUTO_TEST_CASE(the_place_in_a_queue_stands_before_the_words_of_kueue) {
  const std::string waits = "waits for queue team-a of Kueue: no room";
  queue_fixture f;
  f.workload({quota_refused("no room")});
  BOOST_TEST(shown(waits, f) == waits);
  f.supervisor.queue.place = 3;
  BOOST_TEST(shown(waits, f) == "number 3 in queue team-a of Kueue: no room");
  BOOST_TEST(shown("is being deleted", f) == "is being deleted");
  BOOST_TEST(shown(waits, waiting_fixture{}) == waits);
}

BOOST_AUTO_TEST_CASE(pods_that_hold_quota_are_counted) {
  queue_fixture f;
  f.workload({quota_reserved(), admitted(), evicted("Preempted", "another")});
  f.observe({pod("worker", 0).running().deleting()});
  BOOST_TEST(shown("Kueue has evicted it (Preempted): another", f)
             == "1 pod still holds quota; Kueue has evicted it (Preempted): "
                "another");
  f.observe({pod("worker", 1).running().deleting()});
  BOOST_TEST(shown("x", f) == "2 pods still hold quota; x");
}

BOOST_AUTO_TEST_CASE(a_gang_about_which_the_scheduler_is_silent) {
  native_gang_fixture s{make_job().workers(2)};
  auto summary = [&] {
    return core::shown_summary(
        "0 of 2 replicas run; job-worker-0 is not scheduled yet",
        {&s.j, s.seen, s.open, s.status, s.cluster, {}, s.now});
  };
  s.observe(pod("worker", 0));
  BOOST_TEST(summary()
             == "waits for PodGroup tfjob-job-job-uid, "
                "which its pods name and which is missing");
  s.see_group(2);
  BOOST_TEST(summary()
             == "waits for the rest of its gang: PodGroup "
                "tfjob-job-job-uid asks for 2 pods, and 1 counts");
  s.observe(pod("worker", 1));
  BOOST_TEST(summary()
             == "0 of 2 replicas run; job-worker-0 is not scheduled yet");
}

BOOST_AUTO_TEST_SUITE_END()
