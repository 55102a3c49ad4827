#include "actors/queueing/workload_releaser.hpp"
#include "tests/actors/queueing/release_builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::fixtures;
using namespace std::chrono_literals;
using boost::test_tools::per_element;

BOOST_AUTO_TEST_SUITE(workload_releaser_test)

using namespace release;

namespace {

struct releaser_fixture : single_actor_fixture {
  workload_releaser_actor subject = spawn(workload_releaser, context);

  std::size_t known() {
    return ask(subject, get_report{})["awaitingRelease"].size();
  }
  void see_pods(const std::vector<std::string>& pods) {
    fail_call("get tfjobs job", k8s::ec::not_found);
    answer("list pods", list_text(9, pods));
  }
};

} // namespace

BOOST_FIXTURE_TEST_CASE(it_waits_for_the_last_pod, releaser_fixture) {
  send(subject, workload());
  see_pods({pod_text(0, "Running")});
  BOOST_TEST(waiting() == strings{}, per_element());
  BOOST_TEST(known() == 1u);
  advance(300ms);
  BOOST_TEST(waiting() == strings{"get tfjobs job"}, per_element());
  see_pods({});
  answer("list workloads", workloads(workload_json()));
  accept("update workloads w");
  BOOST_TEST(known() == 0u);
  advance(60s);
  BOOST_TEST(waiting() == strings{}, per_element());
}

BOOST_FIXTURE_TEST_CASE(it_looks_ever_more_seldom, releaser_fixture) {
  send(subject, workload());
  for (auto pause : {300ms, 600ms, 1200ms, 2400ms, 4800ms, 4800ms, 4800ms}) {
    fail_call("get tfjobs job", k8s::ec::timeout);
    advance(pause - 1ms);
    BOOST_TEST(waiting() == strings{}, per_element());
    advance(1ms);
    BOOST_TEST(waiting() == strings{"get tfjobs job"}, per_element());
  }
}

BOOST_FIXTURE_TEST_CASE(each_is_taken_once, releaser_fixture) {
  for (int i = 0; i < 3; ++i)
    send(subject, workload());
  BOOST_TEST(calls.size() == 1u);
  BOOST_TEST(known() == 1u);
}

BOOST_FIXTURE_TEST_CASE(the_others_wait_their_turn, releaser_fixture) {
  for (int i = 0; i < 20; ++i)
    send(subject, workload("w" + std::to_string(i)));
  BOOST_TEST(calls.size() == 8u);
  BOOST_TEST(known() == 20u);
  for (int i = 20; i > 0; --i) // Their jobs are there.
    answer("get tfjobs job", object_text("job", "job-uid", 5));
  BOOST_TEST(known() == 0u);
  BOOST_TEST(calls.empty());
}

namespace {

/// A Workload that Kueue's integration has made for this job.
std::string kueues(const std::string& name, const char* kind, bool leaves,
                   bool owned = true) {
  json meta;
  if (leaves)
    meta["deletionTimestamp"] = k8s::to_rfc3339(base_time);
  if (owned)
    meta["ownerReferences"] = {{{"apiVersion", "kubeflow.org/v1"},
                                {"kind", kind},
                                {"name", "job"},
                                {"uid", "job-uid"},
                                {"controller", true}}};
  return object_text(name, name + "-uid", 5, meta);
}

} // namespace

BOOST_FIXTURE_TEST_CASE(at_its_start_it_looks_for_those_of_kueue,
                        releaser_fixture) {
  options->cluster.queueing.on = true;
  options->cluster.queueing.left_to_kueue = {"v1/mxjobs"};
  for (int i = 0; i < 2; ++i) // Each directory tells it.
    send(subject, atom::start::value);
  BOOST_TEST(waiting() == strings{"list workloads"}, per_element());
  fail_call("list workloads", k8s::ec::timeout);
  advance(30s);
  answer("list workloads", list_text(9,
                                     {kueues("leaves", "TFJob", true),
                                      kueues("stays", "TFJob", false),
                                      kueues("kueues-own", "MXJob", true),
                                      kueues("others", "RayJob", true),
                                      kueues("nobodys", "TFJob", true, false)},
                                     "more"));
  BOOST_TEST(known() == 1u);
  see_pods({});
  answer("list workloads", list_text(9)); // The second page.
  BOOST_TEST(waiting() == strings{"list workloads"}, per_element());
}

BOOST_FIXTURE_TEST_CASE(where_the_right_is_missing_it_does_not_look,
                        releaser_fixture) {
  options->namespaces = {"a", "b"};
  send(subject, atom::start::value);
  fail_call("list workloads", k8s::ec::forbidden);
  BOOST_TEST(waiting() == strings{"list workloads"}, per_element());
  fail_call("list workloads", k8s::ec::not_found);
  advance(60s);
  BOOST_TEST(waiting() == strings{}, per_element());
}

BOOST_FIXTURE_TEST_CASE(it_ends_with_the_operator, releaser_fixture) {
  send(subject, workload());
  fail_call("get tfjobs job", k8s::ec::cancelled);
  advance(60s);
  BOOST_TEST(calls.empty());
}

BOOST_AUTO_TEST_SUITE_END()
