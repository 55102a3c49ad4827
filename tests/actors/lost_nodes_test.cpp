#include "tests/actors/cluster_fixture.hpp"

#include <boost/test/unit_test.hpp>

// Pods on nodes that do not report any more.

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(lost_nodes_test)

namespace {

/// A TFJob whose pods run, each on a node of its own: "node-0", "node-1".
struct nodes_fixture : cluster_fixture {
  explicit nodes_fixture(std::chrono::milliseconds period = 1min) {
    op.options->cluster.lost_node_period = period;
    restart();
    auto worker = replica_spec(2, "tensorflow");
    worker["restartPolicy"] = "Never";
    make("tfjobs",
         manifest_of("TFJob", {{"tfReplicaSpecs", {{"Worker", worker}}}}));
    all_pods("Running");
    for (const char* i : {"0", "1"}) {
      api->create("nodes",
                  {{"metadata", {{"name", node(i)}, {"namespace", ""}}}});
      report(i, "True");
      change("pods", pod(i), [&](json& p) { p["spec"]["nodeName"] = node(i); });
    }
    op.advance(1s);
  }

  static std::string node(const std::string& i) { return "node-" + i; }
  static std::string pod(const std::string& i) { return "job-worker-" + i; }

  void report(const std::string& i, const char* ready) {
    api->change("nodes", "/" + node(i), [&](json& n) {
      n["status"]["conditions"] = {{{"type", "Ready"}, {"status", ready}}};
    });
  }

  /// As the node controller does it: the kubelet tells nothing any more.
  void silence(const std::string& i) {
    report(i, "Unknown");
    change("pods", pod(i), [&](json& p) {
      p["status"]["conditions"] = {{{"type", "Ready"},
                                    {"status", "False"},
                                    {"reason", "NodeNotReady"},
                                    {"lastTransitionTime", api->now()}}};
    });
  }

  void come_back(const std::string& i) {
    report(i, "True");
    change("pods", pod(i), [&](json& p) {
      p["status"]["conditions"] = {{{"type", "Ready"}, {"status", "True"}}};
    });
  }

  std::string uid(const std::string& i) {
    return get("pods", pod(i))["metadata"]["uid"];
  }

  json waiting() { return op.request_report("TFJob", "job")["waitingFor"]; }

  int node_reads() { return api->calls["get nodes"]; }
};

} // namespace

BOOST_AUTO_TEST_CASE(a_pod_of_a_lost_node_is_replaced_after_the_period) {
  nodes_fixture s;
  auto lost = s.uid("0");
  auto other = s.uid("1");
  s.silence("0");
  s.op.advance(59s);
  BOOST_TEST(s.uid("0") == lost);
  BOOST_TEST(s.node_reads() == 0);
  BOOST_TEST(s.waiting()["row"] == "silent-node");
  json removal;
  s.api->on_write = [&](const k8s::request& r, const std::string& plural,
                        const std::string&, const json& body) {
    if (r.method == k8s::verb::remove && plural == "pods")
      removal = body;
  };
  s.op.advance(1s);
  BOOST_TEST(s.node_reads() == 1);
  BOOST_TEST(removal["gracePeriodSeconds"] == 0);
  BOOST_TEST(removal["preconditions"]["uid"] == lost);
  BOOST_TEST(s.uid("0") != lost);
  BOOST_TEST(s.uid("1") == other);
  BOOST_TEST(s.condition("tfjobs", "Failed") == "");
  BOOST_TEST(s.condition("tfjobs", "Restarting") == "");
  BOOST_TEST(s.events("NodeLost") == 2u); // On the job, and on the pod.
  std::set<std::string> about;
  for (const auto& [key, e] : s.api->all("events"))
    if (e["reason"] == "NodeLost") {
      about.insert(e["involvedObject"]["kind"].get<std::string>() + " "
                   + e["involvedObject"]["name"].get<std::string>());
      BOOST_TEST(e["message"]
                 == "Pod: ns.job-worker-0 was deleted without waiting for its "
                    "end and does not count as failed, because its node "
                    "node-0 is lost: its condition Ready is Unknown");
    }
  BOOST_TEST((about == std::set<std::string>{"Pod job-worker-0", "TFJob job"}));
}

BOOST_AUTO_TEST_CASE(a_node_that_comes_back_in_time_keeps_its_pod) {
  nodes_fixture s;
  auto kept = s.uid("0");
  s.silence("0");
  s.op.advance(50s);
  s.come_back("0");
  s.op.advance(1h);
  BOOST_TEST(s.uid("0") == kept);
  BOOST_TEST(s.node_reads() == 0);
}

BOOST_AUTO_TEST_CASE(a_node_that_reports_again_before_its_pods_do) {
  nodes_fixture s;
  auto kept = s.uid("0");
  s.silence("0");
  s.report("0", "True");
  s.op.advance(3min);
  BOOST_TEST(s.uid("0") == kept);
  BOOST_TEST(s.node_reads() == 3);
  s.silence("0");
  s.op.advance(2min);
  BOOST_TEST(s.uid("0") != kept);
}

BOOST_AUTO_TEST_CASE(a_pod_that_stays_after_its_grace_period) {
  nodes_fixture s;
  auto lost = s.uid("1");
  s.change("pods", "job-worker-1",
           [&](json& p) { p["metadata"]["deletionTimestamp"] = s.api->now(); });
  s.op.advance(59s);
  BOOST_TEST(s.uid("1") == lost);
  s.api->erase("nodes", "/node-1");
  s.op.advance(1s);
  BOOST_TEST(s.uid("1") != lost);
}

BOOST_AUTO_TEST_CASE(without_a_period_nothing_is_read) {
  nodes_fixture s{0s};
  auto lost = s.uid("0");
  s.silence("0");
  s.op.advance(1h);
  BOOST_TEST(s.uid("0") == lost);
  BOOST_TEST(s.node_reads() == 0);
  BOOST_TEST(s.waiting()["whoseMove"] == "cluster");
}

BOOST_AUTO_TEST_CASE(without_the_right_the_pod_stays_and_one_event_says_so) {
  nodes_fixture s;
  auto lost = s.uid("0");
  s.silence("0");
  s.op.advance(59s);
  const k8s::failure why{k8s::ec::forbidden, "nodes is forbidden"};
  int refused = 0;
  for (int i = 0; i < 600; ++i) {
    s.op.advance_clock(1s);
    refused += s.run_failing(k8s::verb::get, "nodes", why);
  }
  BOOST_TEST(refused > 5); // It is asked again, at longer and longer intervals.
  BOOST_TEST(refused < 30);
  BOOST_TEST(s.uid("0") == lost);
  BOOST_TEST(s.waiting()["whoseMove"] == "person");
  BOOST_TEST(s.events("FailedReadNode") == 1u);
  s.op.advance(2min); // Now it has the right.
  BOOST_TEST(s.uid("0") != lost);
}

BOOST_AUTO_TEST_CASE(one_operator_dies_and_the_next_goes_on) {
  nodes_fixture s;
  auto lost = s.uid("0");
  s.silence("0");
  s.op.advance(30s);
  s.restart();
  BOOST_TEST(s.uid("0") == lost);
  s.op.advance(30s);
  BOOST_TEST(s.uid("0") != lost);
}

BOOST_AUTO_TEST_SUITE_END()
