#include "tests/frameworks/mpi_ssh/ssh_fixture.hpp"

#include <boost/test/unit_test.hpp>

// Pods on nodes that do not report, and counts while a job is deleted.

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;
using core::child_kind;
using k8s::pod_phase;

BOOST_AUTO_TEST_SUITE(ssh_lost_nodes_test)

namespace {

struct nodes_fixture : ssh_job_fixture {
  core::cluster_options cluster{};

  nodes_fixture() {
    cluster.lost_node_period = 1min;
    see_objects_for_pods();
    see_launcher();
    for (int i : {0, 1})
      see_worker(i, true);
    see_launcher_pod(true);
    run();
  }

  void run() {
    last = core::plan(j, seen, open, status, saved, now, cluster);
    status = last.status;
    save();
  }

  static void put_on_node(k8s::object& o, bool reports) {
    k8s::pod_state state;
    state.phase = pod_phase::running;
    state.node = "n";
    state.conditions = {
        {"ContainersReady", "True", "", "", base_time},
        {"Ready", reports ? "True" : "False", "", "", base_time}};
    o.state = state;
  }

  void see_worker(int i, bool reports, std::uint64_t version = 1) {
    auto o = worker(i).version(version).object(j);
    put_on_node(o, reports);
    see(child_kind::pod, o);
  }

  void see_launcher_pod(bool reports, std::uint64_t version = 1) {
    auto o = launcher_pod(j, pod_phase::running, "x7k2p", version);
    put_on_node(o, reports);
    see(child_kind::pod, o);
  }

  void read_node(const k8s::node_state* node) {
    seen.nodes().note_read_sent("n", now);
    seen.nodes().record_read("n", node);
  }
};

} // namespace

BOOST_AUTO_TEST_CASE(workers_and_the_launchers_pod_are_deleted_at_once) {
  nodes_fixture s;
  BOOST_TEST(s.conditions() == "Created Running");
  s.see_worker(1, false, 2);
  s.see_launcher_pod(false, 2);
  s.now = base_time + 1min;
  s.run();
  BOOST_TEST(s.decisions_on_pods() == strings{"read node n"},
             boost::test_tools::per_element());
  s.read_node(nullptr);
  s.run();
  auto found = s.deletions();
  std::sort(found.begin(), found.end());
  BOOST_TEST(
      found == (strings{"pi-launcher-x7k2p at once", "pi-worker-1 at once"}),
      boost::test_tools::per_element());
  BOOST_TEST(s.conditions() == "Created Running");
}

BOOST_AUTO_TEST_CASE(the_counts_of_a_deleted_job_fall_as_its_pods_end) {
  nodes_fixture s;
  BOOST_TEST(s.status.replicas.at("Worker").active == 2);
  BOOST_TEST(s.status.replicas.at("Launcher").active == 1);
  s.j.deleting = true;
  s.run();
  BOOST_TEST(s.status.replicas.at("Worker").active == 2);
  BOOST_TEST(s.status.replicas.at("Launcher").active == 1);
  s.seen.record_deleted(child_kind::pod, "pod-worker-0");
  s.run();
  BOOST_TEST(s.status.replicas.at("Worker").active == 1);
  BOOST_TEST(s.status.replicas.at("Launcher").active == 1);
}

BOOST_AUTO_TEST_SUITE_END()
