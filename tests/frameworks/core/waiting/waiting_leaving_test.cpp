#include "tests/frameworks/core/recovery/lost_nodes_fixture.hpp"
#include "tests/frameworks/core/waiting/waiting_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(waiting_leaving_test)

namespace {

/// "WHAT (WHO)", and the row.
std::string answer(const lost_nodes_fixture& f) {
  auto r = core::find_waiting_reason(
      {&f.j, f.seen, f.open, f.status, f.cluster, {}, f.now});
  return r ? std::string{r->row} + ": " + describe_wait(*r, f.now) + " ("
                 + r->who + ")"
           : "";
}

} // namespace

BOOST_AUTO_TEST_CASE(pods_whose_node_does_not_report) {
  lost_nodes_fixture f;
  f.silence(1);
  f.now += 35s;
  BOOST_TEST(answer(f)
             == "silent-node: news of job-worker-1: its node n1 has not "
                "reported for 35s; the pod is replaced at "
                "2026-02-02T02:41:00Z in 25s (the operator, unless the node "
                "comes back)");
  f.now += 25s;
  BOOST_TEST(answer(f)
             == "silent-node: news of job-worker-1: its node n1 has not "
                "reported for 60s; the pod is replaced as soon as its node, "
                "too, says so (the operator, unless the node comes back)");
  f.seen.nodes().note_read_sent("n1", f.now);
  f.seen.nodes().record_failure_and_check_first_refusal(
      "n1", {k8s::ec::forbidden, "no"}, f.now, 0);
  BOOST_TEST(answer(f)
             == "silent-node: news of job-worker-1: its node n1 has not "
                "reported for 60s; the operator may not read nodes, so the "
                "pod is left as it is (a person, who grants the operator `get` "
                "of nodes)");
  f.cluster.lost_node_period = 0s;
  f.silence(0, base_time - 30s);
  BOOST_TEST(answer(f)
             == "silent-node: news of job-worker-0 and 1 other pod: its node "
                "n0 has not reported for 90s; without lost-node-period it is "
                "replaced only when the node confirms its end (the kubelet of "
                "its node; a person if the node does not come back)");
}

BOOST_AUTO_TEST_CASE(pods_that_are_stopped_for_a_suspension) {
  lost_nodes_fixture f;
  f.j = make_job().workers(3).suspended();
  f.place(pod("worker", 2).running());
  BOOST_TEST(answer(f).rfind("resume: ", 0) == 0U);
  f.stop(0, base_time + 30s);
  f.stop(1, base_time + 60s);
  BOOST_TEST(answer(f)
             == "stopping: stopping: 2 of 3 pods still run, the last may take "
                "until 2026-02-02T02:41:00Z (the kubelet)");
  f.seen.record_deleted(core::child_kind::pod, "pod-worker-1");
  f.view("pod-worker-0").leaves_by = {};
  BOOST_TEST(answer(f)
             == "stopping: stopping: 1 of 3 pods still runs (the kubelet)");
  f.silence(0);
  BOOST_TEST(answer(f).rfind("stopping: news of job-worker-0: its node n0", 0)
             == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
