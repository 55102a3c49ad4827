#include "tests/frameworks/core/recovery/lost_nodes_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(lost_nodes_test)

BOOST_AUTO_TEST_CASE(what_a_node_says_of_itself) {
  struct row {
    std::optional<k8s::node_state> node;
    const char* why;
  } rows[] = {
      {{}, "it is gone"},
      {node_that_is("True"), ""},
      {node_that_is(""), ""}, // It has just registered.
      {node_that_is("False"), "its condition Ready is False"},
      {node_that_is("Unknown"), "its condition Ready is Unknown"},
      {k8s::node_state{"True", {"example.org/gpu", "node.kubernetes.io/x"}},
       ""},
      {k8s::node_state{"True", {"a", "node.kubernetes.io/unreachable"}},
       "it has the taint node.kubernetes.io/unreachable"},
      {k8s::node_state{"Unknown", {"node.kubernetes.io/out-of-service"}},
       "it has the taint node.kubernetes.io/out-of-service"},
  };
  for (const auto& r : rows)
    BOOST_TEST(core::why_node_is_lost(r.node ? &*r.node : nullptr) == r.why);
}

BOOST_AUTO_TEST_CASE(whose_period_it_is) {
  struct row {
    const char* kind;
    std::chrono::seconds of_operator;
    std::optional<std::chrono::seconds> of_job;
    std::chrono::seconds period;
  } rows[] = {
      {"TFJob", 0s, {}, 0s},    {"TFJob", 60s, {}, 60s},
      {"TFJob", 60s, 5s, 5s},   {"TFJob", 0s, 5s, 5s},
      {"TFJob", 60s, 0s, 0s},   {"PyTorchJob", 60s, {}, 60s},
      {"MPIJob", 60s, {}, 60s}, {"DIJob", 60s, 5s, 0s},
  };
  for (const auto& r : rows) {
    core::job j;
    j.kind = &row_of_kind(r.kind);
    if (r.of_job) {
      core::failure_policy own;
      own.lost_node_period = r.of_job;
      j.policy.failure = std::make_shared<core::failure_policy>(own);
    }
    core::cluster_options cluster;
    cluster.lost_node_period = r.of_operator;
    BOOST_TEST((lost_node_period(j, cluster) == r.period));
  }
}

BOOST_AUTO_TEST_CASE(when_a_node_is_read) {
  lost_nodes_fixture f;
  BOOST_TEST(f.answer() == ""); // All is well.
  f.silence(0);
  f.now += 59s;
  BOOST_TEST(f.answer() == "in 1");
  f.now += 1s;
  BOOST_TEST(f.answer() == "read n0 ");
  // Each node once, whoever was on it.
  f.silence(1);
  BOOST_TEST(f.answer() == "read n0 read n1 ");
  f.view("pod-worker-1").trouble = f.view("pod-worker-0").trouble;
  BOOST_TEST(f.answer() == "read n0 ");
  // One read at a time.
  f.seen.nodes().note_read_sent("n0", f.now);
  BOOST_TEST(f.answer() == "");
  f.cluster.lost_node_period = 0s;
  BOOST_TEST(f.answer() == "");
}

BOOST_AUTO_TEST_CASE(which_pods_may_be_lost) {
  using phase = k8s::pod_phase;
  struct row {
    const char* what;
    void (*change)(core::child_view& pod);
    const char* answer;
  } rows[] = {
      {"as it is", [](auto&) {}, "read n0 "},
      {"another's", [](auto& v) { v.owned = false; }, ""},
      {"has failed", [](auto& v) { v.phase = phase::failed; }, ""},
      {"has succeeded", [](auto& v) { v.phase = phase::succeeded; }, ""},
      {"failed, and holds its name",
       [](auto& v) {
         v.phase = phase::failed;
         v.terminating = true;
       },
       "read n0 "},
      {"our deletion is on its way", [](auto& v) { v.delete_in_flight = true; },
       ""},
      {"only finalizers keep it",
       [](auto& v) { v.terminating = v.removed_at_once = true; }, ""},
      {"no node", [](auto& v) { v.trouble.reset(); }, ""},
  };
  for (const auto& r : rows) {
    lost_nodes_fixture f;
    f.silence(0);
    r.change(f.view("pod-worker-0"));
    f.now += 1min;
    BOOST_TEST(f.answer() == r.answer, r.what);
  }
}

BOOST_AUTO_TEST_CASE(a_pod_that_should_have_ended) {
  lost_nodes_fixture f;
  f.stop(0, base_time + 30s);
  BOOST_TEST(f.answer() == "in 90");
  f.now += 90s;
  BOOST_TEST(f.answer() == "read n0 ");
  // What comes first holds, the silence or the end of the grace period.
  f.silence(0, base_time + 10s);
  f.view("pod-worker-0").terminating = true;
  f.now = base_time;
  BOOST_TEST(f.answer() == "in 70");
  f.silence(0, base_time + 300s);
  BOOST_TEST(f.answer() == "in 90");
  // Its end is not known yet.
  f.silence(0, {});
  f.view("pod-worker-0").leaves_by = {};
  BOOST_TEST(f.answer() == "");
}

BOOST_AUTO_TEST_CASE(what_follows_from_the_node) {
  lost_nodes_fixture f;
  f.silence(0);
  f.now += 1min;
  auto ready = node_that_is("True");
  f.read_all(&ready);
  // It has come back, and the pod has not told of it yet.
  BOOST_TEST(f.answer() == "in 60");
  f.now += 59s;
  BOOST_TEST(f.answer() == "in 1");
  f.now += 1s;
  BOOST_TEST(f.answer() == "read n0 ");
  f.read_all(nullptr);
  BOOST_TEST(f.answer() == "lost job-worker-0 ");
  BOOST_TEST(f.step().lost.at(0).why == "its node n0 is lost: it is gone");
  BOOST_TEST(f.step().is_lost(f.view("pod-worker-0")));
  BOOST_TEST(!f.step().is_lost(f.view("pod-worker-1")));
  // What was read long ago says nothing.
  f.now += 1min;
  BOOST_TEST(f.answer() == "read n0 ");
  // Nor what was read before the period of another pod was over.
  f.read_all(nullptr);
  f.silence(0, f.now - 50s);
  BOOST_TEST(f.answer() == "in 10");
  f.now += 10s;
  BOOST_TEST(f.answer() == "read n0 ");
  // Nor what was read in the future: the clock was set back.
  f.silence(0);
  f.seen.nodes().note_read_sent("n0", f.now);
  f.seen.nodes().record_read("n0", nullptr);
  BOOST_TEST(f.answer() == "lost job-worker-0 ");
  f.now -= 1s;
  BOOST_TEST(f.answer() == "read n0 ");
}

BOOST_AUTO_TEST_CASE(a_short_period_does_not_read_all_the_time) {
  lost_nodes_fixture f;
  f.cluster.lost_node_period = 1s;
  f.silence(0);
  f.now += 1s;
  auto ready = node_that_is("True");
  f.read_all(&ready);
  BOOST_TEST(f.answer() == "in 10");
}

BOOST_AUTO_TEST_CASE(reads_that_fail) {
  lost_nodes_fixture f;
  f.silence(0);
  f.silence(1);
  f.now += 1min;
  auto& nodes = f.seen.nodes();
  const k8s::failure no_right{k8s::ec::forbidden, "no"};
  nodes.note_read_sent("n0", f.now);
  BOOST_TEST(
      nodes.record_failure_and_check_first_refusal("n0", no_right, f.now, 0));
  BOOST_TEST(nodes.is_refused());
  // The others would be refused as well.
  BOOST_TEST(f.answer() == "in 5");
  f.now += 5s;
  BOOST_TEST(f.answer() == "read n0 read n1 ");
  nodes.note_read_sent("n1", f.now);
  BOOST_TEST(
      !nodes.record_failure_and_check_first_refusal("n1", no_right, f.now, 0));
  BOOST_TEST(f.answer() == "in 10");
  f.now += 10s;
  nodes.note_read_sent("n1", f.now);
  BOOST_TEST(!nodes.record_failure_and_check_first_refusal(
      "n1", {k8s::ec::timeout, "late"}, f.now, 0));
  BOOST_TEST(!nodes.is_refused());
  f.now += 10s;
  f.read_all(nullptr);
  BOOST_TEST(f.answer() == "lost job-worker-0 lost job-worker-1 ");
}

BOOST_AUTO_TEST_CASE(nodes_are_kept_while_pods_are_in_doubt) {
  lost_nodes_fixture f;
  auto& nodes = f.seen.nodes();
  for (const char* name : {"n0", "n1"})
    nodes.note_read_sent(name, f.now);
  f.silence(1);
  nodes.forget_all_except(nodes_in_doubt(f.seen));
  BOOST_TEST(!nodes.find("n0"));
  BOOST_TEST(nodes.find("n1"));
  nodes.record_read("n0", nullptr); // A late answer.
  BOOST_TEST(!nodes.find("n0"));
}

BOOST_AUTO_TEST_CASE(of_a_finished_job_only_what_leaves_matters) {
  lost_nodes_fixture f;
  f.silence(0);
  f.now += 1min;
  BOOST_TEST(f.answer(true) == "");
  f.stop(0, base_time);
  BOOST_TEST(f.answer(true) == "read n0 ");
}

BOOST_AUTO_TEST_SUITE_END()
