#include "actors/jobs/report/waiting_report.hpp"
#include "tests/frameworks/core/gangs/native_gang_fixture.hpp"
#include "tests/frameworks/core/waiting/workload_builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(waiting_report_test)

namespace {

json report_of(const waiting_fixture& f) {
  json out = json::object();
  actors::add_waiting_report(
      out, {&f.j, f.seen, f.open, f.status, f.cluster, f.supervisor, f.now});
  return out;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_job_without_a_queue_says_what_it_waits_for) {
  auto report = report_of(waiting_fixture{});
  BOOST_TEST(report.size() == 1u);
  BOOST_TEST(report["waitingFor"]["row"] == "missing-pods");
}

BOOST_AUTO_TEST_CASE(a_job_that_is_held_has_its_place_and_how_much_is_held) {
  queue_fixture f;
  f.workload({quota_refused("no room")});
  f.supervisor.queue.place = 3;
  f.supervisor.queue.place_in_cluster_queue = 12;
  BOOST_TEST(report_of(f)["queueing"]
             == json({{"state", "held"},
                      {"queue", "team-a"},
                      {"workload", "tfjob-job-w"},
                      {"why", "no room"},
                      {"place", 3},
                      {"placeInClusterQueue", 12},
                      {"podsHeldBack", 2},
                      {"since", "2026-02-02T02:40:00Z"}}));
}

BOOST_AUTO_TEST_CASE(pods_that_hold_quota_are_counted) {
  queue_fixture f;
  f.workload({quota_reserved(), admitted(), evicted("Preempted", "another")});
  f.observe({pod("worker", 0).running().deleting()});
  auto queueing = report_of(f)["queueing"];
  BOOST_TEST(queueing["state"] == "leaving");
  BOOST_TEST(queueing["clusterQueue"] == "cq");
  BOOST_TEST(queueing["podsThatHoldQuota"] == 1);
  BOOST_TEST(!queueing.contains("place"));
}

BOOST_AUTO_TEST_CASE(why_a_queue_is_not_waited_for) {
  queue_fixture f;
  f.cluster.queueing = {};
  auto report = report_of(f);
  BOOST_TEST(!report.contains("queueing"));
  BOOST_TEST(report["notQueued"]
             == "Queue team-a of Kueue is not waited for by this operator: "
                "--kueue is off, or there is no Kueue in this cluster.");
}

BOOST_AUTO_TEST_CASE(the_group_of_a_gang) {
  native_gang_fixture f{make_job().workers(2)};
  auto group = [&] {
    json out = json::object();
    actors::add_waiting_report(
        out, {&f.j, f.seen, f.open, f.status, f.cluster, {}, f.now});
    return out.value("podGroup", json{});
  };
  BOOST_TEST(group().is_null());
  f.see_group(2);
  BOOST_TEST(group()
             == json({{"name", "tfjob-job-job-uid"},
                      {"minCount", 2},
                      {"phase", "Pending"},
                      {"awaited", false},
                      {"trouble", ""}}));
  f.see_group(2, native_gang_fixture::refused("Unschedulable", "no room"));
  BOOST_TEST(group()["phase"] == "Unschedulable");
  BOOST_TEST(group()["awaited"] == true);
  BOOST_TEST(group()["trouble"] == "no room");
}

BOOST_AUTO_TEST_SUITE_END()
