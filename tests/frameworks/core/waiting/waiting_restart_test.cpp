#include "frameworks/core/recovery/restart_progress.hpp"
#include "tests/frameworks/core/recovery/restarts_fixture.hpp"
#include "tests/frameworks/core/waiting/waiting_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(waiting_restart_test)

namespace {

/// "ROW: WHAT (WHO)".
std::string answer(const restarts_fixture& f,
                   core::supervisor_state supervisor = {}) {
  auto r = core::find_waiting_reason(
      {&f.j, f.seen, f.open, f.status, {}, supervisor, f.now, &f.saved});
  return r ? std::string{r->row} + ": " + describe_wait(*r, f.now) + " ("
                 + r->who + ")"
           : "";
}

} // namespace

BOOST_AUTO_TEST_CASE(each_stage_says_whose_move_it_is) {
  restarts_fixture f;
  f.run_and_fail();
  f.pass();
  BOOST_TEST(answer(f)
             == "restart: attempt 1 to be recorded in its status (the API "
                "server)");
  BOOST_TEST(f.last.summary
             == "restarting (attempt 1): this is being recorded, then pods are "
                "stopped");
  core::supervisor_state refused;
  refused.status_write = {
      false, 2, {k8s::ec::forbidden, "exceeded quota: jobs"}};
  BOOST_TEST(answer(f, refused)
             == "restart: the write of its status, which has failed 2 times: "
                "exceeded quota: jobs (a person, who raises the quota or "
                "deletes other objects)");

  f.save();
  f.pass_and_save();
  BOOST_TEST(answer(f)
             == "restart: the pods before attempt 1 to be deleted: 1 of 2 pods "
                "of attempt 0 still runs (the operator)");

  f.accept_deletions(base_time + 30s);
  f.pass_and_save();
  f.now += 12s;
  BOOST_TEST(answer(f)
             == "restart: the pods before attempt 1 to be gone: 1 of 2 pods of "
                "attempt 0 still runs, the last may take until 02:40:30 UTC "
                "(the kubelet of node n0)");
  BOOST_TEST(f.last.summary
             == "restarting (attempt 1): 1 of 2 pods of attempt 0 still runs, "
                "the last may take until 02:40:30 UTC");
  auto reason = core::find_waiting_reason(
      {&f.j, f.seen, f.open, f.status, {}, {}, f.now, &f.saved});
  BOOST_REQUIRE(reason);
  BOOST_TEST((reason->since == base_time));

  f.seen.record_deleted(core::child_kind::pod, "worker-0-of-0");
  f.pass_and_save();
  BOOST_TEST(answer(f)
             == "restart: the pods before attempt 1 to be gone: 1 pod of "
                "attempt 0 has ended and is being deleted (the kubelets of its "
                "pods)");

  f.remove_pods();
  f.pass_and_save();
  BOOST_TEST(answer(f)
             == "missing-pods: the creation of 2 pods (the operator)");
  BOOST_TEST(f.last.summary
             == "restarting (attempt 1): the pods before are gone, 2 pods are "
                "being made");

  f.observe({f.worker(0, 1).running(), f.worker(1, 1)});
  f.pass_and_save();
  BOOST_TEST(answer(f)
             == "scheduling: job-worker-1 to be scheduled (the scheduler)");
  BOOST_TEST(f.last.summary
             == "restarting (attempt 1): 1 of 2 replicas run; job-worker-1 is "
                "not scheduled yet");

  f.observe(f.worker(1, 1).running().version(5));
  f.pass_and_save();
  BOOST_TEST(answer(f)
             == "processes: its processes to end (the processes in its pods)");
  BOOST_TEST(f.last.summary == "2 of 2 replicas run (attempt 1 after Error)");
}

BOOST_AUTO_TEST_CASE(several_nodes_are_named_by_the_first) {
  restarts_fixture f{3};
  f.run_and_fail();
  f.pass_and_save();
  f.pass_and_save();
  f.accept_deletions(base_time + 30s);
  f.pass_and_save();
  BOOST_TEST(answer(f)
             == "restart: the pods before attempt 1 to be gone: 2 of 3 pods of "
                "attempt 0 still run, the last may take until 02:40:30 UTC "
                "(the kubelets of n0 and 1 other node)");
}

BOOST_AUTO_TEST_CASE(an_attempt_is_delayed_after_early_ends) {
  restarts_fixture f{1};
  for (int attempt = 0; attempt < 2; ++attempt) {
    f.observe(f.worker(0, attempt).ran(f.now - 5s, 5s).failed(1));
    f.pass_and_save();
    f.pass_and_save();
    f.accept_deletions(f.now);
    f.remove_pods();
    f.pass_and_save();
  }
  BOOST_TEST(f.status.recovery->attempt == 2);
  BOOST_TEST(answer(f)
             == "restart: attempt 2 to begin in 10s, at 2026-02-02T02:40:10Z: "
                "attempts ended shortly after their start, 2 times in a row "
                "(the operator, after its back-off; a person if the program is "
                "wrong)");
  BOOST_TEST(f.last.summary
             == "restarting (attempt 2): the pods before are gone; because "
                "attempts ended shortly after their start, it begins at "
                "02:40:10 UTC");
  f.now += 10s;
  BOOST_TEST(answer(f) == "missing-pods: the creation of 1 pod (the operator)");
}

BOOST_AUTO_TEST_CASE(a_resume_waits_for_the_pods_of_before) {
  restarts_fixture f;
  f.run_all(0);
  f.pass_and_save();
  f.j.policy.suspend = true;
  f.pass_and_save();
  f.accept_deletions(base_time + 30s);
  f.j.policy.suspend = false;
  f.pass_and_save();
  BOOST_TEST(answer(f)
             == "resume-after-stop: its pods of before the suspension to be "
                "gone, so that no two runs meet: 2 pods are left, the last may "
                "take until 02:40:30 UTC; then it is resumed (the kubelet)");
  BOOST_TEST(f.last.summary
             == "is resumed when its pods of before are gone; stopping: 2 of 2 "
                "pods still run, the last may take until 02:40:30 UTC");
  f.remove_pods();
  f.pass_and_save();
  BOOST_TEST(answer(f)
             == "missing-pods: the creation of 2 pods (the operator)");
}

BOOST_AUTO_TEST_CASE(pods_of_before_the_policy_are_known_by_their_labels) {
  restarts_fixture f;
  f.j.replicas.front().restart = core::restart_policy::on_failure;
  f.observe({pod("worker", 0).running(), f.worker(1, 0).running()});
  auto found = core::pods_made_before_policy(f.j, f.seen);
  BOOST_REQUIRE(found.size() == 1U);
  BOOST_TEST(found.front()->name == "job-worker-0");
  f.j.replicas.front().restart = core::restart_policy::never;
  BOOST_TEST(core::pods_made_before_policy(f.j, f.seen).empty());
  waiting_fixture without;
  without.j.replicas.front().restart = core::restart_policy::on_failure;
  without.observe(pod("worker", 0).running());
  BOOST_TEST(core::pods_made_before_policy(without.j, without.seen).empty());
}

BOOST_AUTO_TEST_SUITE_END()
