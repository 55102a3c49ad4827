#include "frameworks/core/waiting/queue_standing.hpp"
#include "tests/frameworks/core/waiting/workload_builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(queue_standing_test)

namespace {

core::waiting_inputs inputs(const waiting_fixture& f) {
  return {&f.j, f.seen, f.open, f.status, f.cluster, f.supervisor, f.now};
}

/// "held in team-a: WHY; place 3 of cq 12; 2 held, 1 with quota".
std::string text_of(const waiting_fixture& f) {
  auto s = core::find_queue_standing(inputs(f));
  if (!s)
    return "none";
  std::string text = std::string{to_string(s->at)} + " in " + s->queue;
  if (!s->cluster_queue.empty())
    text += " of " + s->cluster_queue;
  if (!s->why.empty())
    text += ": " + s->why;
  if (s->news.place)
    text += "; place " + std::to_string(*s->news.place);
  return text + "; " + std::to_string(s->held_pods) + " held, "
         + std::to_string(s->pods_with_quota) + " with quota";
}

} // namespace

BOOST_AUTO_TEST_CASE(no_queue_of_ours) {
  BOOST_TEST(text_of(waiting_fixture{}) == "none");
  queue_fixture f;
  f.cluster.queueing.on = false;
  BOOST_TEST(text_of(f) == "none");
}

BOOST_AUTO_TEST_CASE(a_job_that_is_held) {
  queue_fixture f;
  BOOST_TEST(text_of(f) == "held in team-a; 2 held, 0 with quota");
  f.workload({quota_refused("no room")});
  f.supervisor.queue.place = 3;
  BOOST_TEST(text_of(f)
             == "held in team-a: no room; place 3; 2 held, 0 with quota");
  BOOST_TEST(core::find_queue_standing(inputs(f))->workload == "tfjob-job-w");
  BOOST_CHECK(core::find_queue_standing(inputs(f))->since == base_time);

  queue_fixture checked;
  checked.workload({quota_reserved()}, {{"status",
                                         {{"admissionChecks",
                                           {{{"name", "prov"},
                                             {"state", "Pending"},
                                             {"message", "no node"}}}}}}});
  BOOST_TEST(text_of(checked)
             == "held in team-a of cq: prov: no node; 2 held, 0 with quota");
  f.cluster.queueing = {};
  f.cluster.queueing.holds = true;
  f.cluster.queueing.why_off = "waits for Kueue, which is not installed";
  BOOST_TEST(text_of(f)
             == "held in team-a: waits for Kueue, which is not installed; 2 "
                "held, 0 with quota");
  queue_fixture inactive;
  inactive.workload({evicted("Deactivated", "by hand")},
                    {{"spec", {{"active", false}}}});
  BOOST_TEST(text_of(inactive)
             == "held in team-a: by hand; 2 held, 0 with quota");
}

BOOST_AUTO_TEST_CASE(a_job_that_may_run_and_one_that_grows) {
  queue_fixture f{make_job().workers(2)};
  f.workload({quota_reserved(), admitted()});
  BOOST_TEST(text_of(f) == "admitted in team-a of cq; 0 held, 0 with quota");
  queue_fixture grows{make_job().workers(5)};
  grows.workload({quota_reserved(), admitted()});
  grows.workload({quota_refused("3 more needed")}, json::object(), false, "x");
  BOOST_TEST(text_of(grows)
             == "admitted in team-a of cq: 3 more needed; 3 held, 0 with "
                "quota");
  grows.cluster.queueing = {};
  grows.cluster.queueing.holds = true;
  grows.cluster.queueing.why_off = "no Kueue";
  BOOST_TEST(text_of(grows)
             == "admitted in team-a of cq: no Kueue; 3 held, 0 with quota");
}

BOOST_AUTO_TEST_CASE(quota_that_pods_hold) {
  queue_fixture f;
  f.workload({quota_reserved(), admitted(), evicted("Preempted", "another")});
  f.observe({pod("worker", 0).running().deleting()});
  BOOST_TEST(text_of(f)
             == "leaving in team-a of cq: another; 2 held, 1 with quota");
  queue_fixture deleted{make_job().workers(2).deleting()};
  deleted.workload({quota_reserved(), admitted()}, json::object(), true);
  deleted.observe({pod("worker", 0).running().deleting(),
                   pod("worker", 1).running().deleting()});
  BOOST_TEST(text_of(deleted)
             == "leaving in team-a of cq; 0 held, 2 with quota");
}

BOOST_AUTO_TEST_SUITE_END()
