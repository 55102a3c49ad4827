#include "tests/frameworks/core/recovery/lost_nodes_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;
using boost::test_tools::per_element;

BOOST_AUTO_TEST_SUITE(lost_pods_test)

namespace {

/// Worker 0 is on a node that was read and is gone.
struct one_lost : lost_nodes_fixture {
  explicit one_lost(core::job job = make_job().workers(2))
      : lost_nodes_fixture(std::move(job)) {
    pass();
    save();
    silence(0);
    now += 1min;
    read_all(nullptr);
  }
};

std::shared_ptr<const core::failure_policy> restarts_of_the_job() {
  core::failure_policy p;
  p.scope = core::restart_scope::job;
  return std::make_shared<core::failure_policy>(p);
}

} // namespace

BOOST_AUTO_TEST_CASE(a_lost_pod_is_deleted_at_once_and_made_again) {
  lost_nodes_fixture f;
  f.silence(0);
  f.now += 1min;
  f.pass();
  BOOST_TEST(f.decisions() == strings{"read node n0"}, per_element());
  f.read_all(nullptr);
  f.pass();
  BOOST_TEST(f.decisions() == strings{"delete pod job-worker-0"},
             per_element());
  BOOST_TEST(f.deletions() == strings{"job-worker-0 at once"}, per_element());
  f.open.expect_operation(core::child_kind::pod, "pod-worker-0",
                          core::operation::delete_object, f.now);
  f.pass();
  BOOST_TEST(f.deletions().empty()); // It is under way.
  f.seen.record_deleted(core::child_kind::pod, "pod-worker-0");
  f.pass();
  BOOST_TEST(f.decisions() == strings{"create pod worker-0"}, per_element());
  BOOST_TEST(f.conditions() == "Created Running");
}

BOOST_AUTO_TEST_CASE(the_pass_comes_again_when_a_period_ends) {
  lost_nodes_fixture f;
  f.silence(0);
  BOOST_TEST((f.pass().requeue_at == base_time + 1min));
  f.cluster.lost_node_period = 0s;
  BOOST_TEST(!f.pass().requeue_at.has_value());
}

BOOST_AUTO_TEST_CASE(one_that_nobody_ends_is_deleted_in_any_job) {
  for (bool suspended : {false, true}) {
    one_lost f{make_job().workers(2)};
    f.stop(0, base_time);
    if (suspended)
      f.j = make_job().workers(2).suspended();
    f.pass();
    BOOST_TEST(f.deletions().back() == "job-worker-0 at once");
  }
  one_lost f;
  f.saved.set_condition("Succeeded", true, "", "", f.now);
  f.status = f.saved;
  f.stop(0, base_time);
  f.pass();
  BOOST_TEST(f.deletions().back() == "job-worker-0 at once");
}

BOOST_AUTO_TEST_CASE(a_suspended_job_stops_its_lost_pods_at_once) {
  one_lost f;
  f.j = make_job().workers(2).suspended();
  f.pass();
  BOOST_TEST(f.deletions()
                 == (strings{"job-worker-1", "job-worker-0", "job-worker-1",
                             "job-worker-0 at once"}),
             per_element());
}

BOOST_AUTO_TEST_CASE(container_restarts_are_saved_before_they_are_lost) {
  one_lost f{make_job().workers(2).backoff_limit(3)};
  f.view("pod-worker-0").restarts = 2;
  f.pass();
  BOOST_TEST(f.deletions().empty());
  BOOST_TEST(f.status.restarts.size() == 1U);
  BOOST_TEST(f.status.restarts.at(0).count == 2); // The loss does not count.
  f.save();
  f.pass();
  BOOST_TEST(f.deletions() == strings{"job-worker-0 at once"}, per_element());
}

BOOST_AUTO_TEST_CASE(a_policy_for_failures_decides_first) {
  one_lost f;
  f.j.policy.failure = restarts_of_the_job();
  f.pass();
  BOOST_TEST(f.deletions().empty());
  // It is of an attempt that has ended.
  core::recovery_status next;
  next.attempt = 1;
  f.saved.recovery = f.status.recovery = next;
  f.pass();
  BOOST_TEST(f.deletions() == (strings{"job-worker-1", "job-worker-0 at once"}),
             per_element());
  // It is about to end anyway.
  f.saved.recovery = f.status.recovery = core::recovery_status{};
  f.stop(0, base_time);
  f.pass();
  BOOST_TEST(f.deletions() == strings{"job-worker-0 at once"}, per_element());
}

// A process that begins after that deletion knows only that the pod is missing.
BOOST_AUTO_TEST_CASE(one_replaced_alone_is_deleted_when_the_counts_lack_it) {
  for (const char* action : {"Ignore", "RestartPod"})
    BOOST_TEST_CONTEXT(action) {
      auto b = make_job().workers(2);
      b.policy(
          "failurePolicy",
          {{"restartScope", "Job"},
           {"rules", {{{"action", action}, {"onReasons", {"NodeLost"}}}}}});
      one_lost f{b.get()};
      BOOST_TEST(f.saved.replicas.at("Worker").active == 2);
      f.pass();
      BOOST_TEST(f.deletions().empty());
      BOOST_TEST(f.status.replicas.at("Worker").active == 1);
      f.save();
      f.pass();
      BOOST_TEST(f.deletions() == strings{"job-worker-0 at once"},
                 per_element());
      BOOST_TEST(f.status.replicas.at("Worker").active == 1);

      lost_nodes_fixture again{f.j};
      again.status = again.saved = f.saved;
      again.seen.record_deleted(core::child_kind::pod, "pod-worker-0");
      again.seen.gone().forget_lost();
      again.pass();
      BOOST_TEST(again.status.recovery->attempt == 0);
      BOOST_TEST(again.decisions() == strings{"create pod worker-0"},
                 per_element());
    }
}

// No pass of such a job gets as far as the policy.
BOOST_AUTO_TEST_CASE(a_job_that_is_held_for_its_gang_loses_its_lost_pods) {
  one_lost f;
  f.j.policy.failure = restarts_of_the_job();
  f.status = f.saved = {};
  f.cluster.scheduling = core::gang::volcano;
  f.cluster.gang_scheduler = "volcano";
  f.pass();
  BOOST_TEST(f.status.gang_wait_since.has_value());
  BOOST_TEST(f.deletions() == strings{"job-worker-0 at once"}, per_element());
}

BOOST_AUTO_TEST_CASE(each_kind_of_a_map_of_replica_types_replaces_them) {
  for (const auto* kind : kinds_with_replica_map()) {
    auto b = make_job_of(kind->names.type.kind.c_str());
    b.type(kind->replicas.front().type, 1);
    b.type("Worker", 2);
    one_lost f{b.get()};
    f.pass();
    auto found = f.deletions();
    BOOST_TEST(std::count(found.begin(), found.end(), "job-worker-0 at once")
                   == (kind->pods.keeps_trouble ? 1 : 0),
               kind->names.type.kind);
  }
}

BOOST_AUTO_TEST_SUITE_END()
